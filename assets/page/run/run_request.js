/** Recorded runs that links ask for, one after the other: Gradio drops an event that is sent while it answers one. */

export class RunRequest {
  /** @param {(run: string) => void} send requests a run from the server; `answered` takes its answer */
  constructor(send) {
    this.send = send;
    /** @type {string | null} the run that the newest link names */
    this.wanted = null;
    /** @type {string | null} that which the server was asked for, until it has answered */
    this.sent = null;
  }

  /** @param {string} run */
  ask(run) {
    this.wanted = run;
    if (this.sent !== null) return;
    this.sent = run;
    this.send(run);
  }

  /** The server has answered; gives the run that is to be asked for now, if it is another. */
  answered() {
    const { sent, wanted } = this;
    this.sent = null;
    return sent !== null && wanted !== null && wanted !== sent ? wanted : null;
  }

  /**
   * A run is on the stage; return the requested one if it is another.
   *
   * @param {string | undefined} run
   */
  arrived(run) {
    const { wanted } = this;
    this.wanted = null;
    return wanted !== run ? wanted : null;
  }
}
