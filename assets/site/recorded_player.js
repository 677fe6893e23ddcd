/** The player of recorded runs: the run that an address asks for is read and shown; what is not there is said. */

import { brief } from "../player/moment/link.js";
import { say as word } from "../shared/words.js";

const UNSAID_METHOD = "speculative_sampling"; // of a set-up that names none, as in the page that makes runs
const OPENING = "edit_smollm2"; // see playground/ui/recorded.py

/** @typedef {{id: string, title: string, about: Record<string, any>, method: string, plain?: number[],
 *    again?: number[], estimate?: any}} Run as runs.json lists it
 *  @typedef {Pick<import("../player/moment/link.js").Moment, "run" | "setup" | "step">} Wish */

export class RecordedPlayer {
  /**
   * @param {Run[]} runs
   * @param {any} player
   * @param {object} page
   * @param {(file: string) => Promise<any>} page.read
   * @param {(text: string, kind?: string) => void} page.say
   * @param {(id: string) => void} page.chosen a run is being shown
   */
  constructor(runs, player, page) {
    this.runs = runs;
    this.player = player;
    this.page = page;
    /** @type {any} the address that follows the player, see player/moment/address.js */
    this.address = null;
    /** @type {Run | null} */
    this.shown = null;
    this.isReading = false; // whether that run is still on its way
  }

  /** Shows the message of the address, or else what the run is about. */
  say = (/** @type {string} */ text, /** @type {string | undefined} */ kind) =>
    this.page.say(text || (this.shown ? about(this.shown) : ""), kind);

  /** Show the run that is asked for; where it is not there, the first. @param {Wish} wish */
  open = async (wish) => {
    const { run, wrong } = runFor(this.runs, wish);
    this.address.turned({ run: run.id }, wrong);
    if (this.shown === run) {
      if (!this.isReading) this.address.grown(true);
      return;
    }
    this.shown = run;
    this.isReading = true;
    this.page.chosen(run.id);
    this.page.say(word("site_reading"));
    const files = await this.read(run);
    if (!files || this.shown !== run) return; // another was chosen meanwhile
    this.isReading = false;
    const [trace, figures] = files;
    const { player } = this;
    const { plain, again, estimate } = run;
    player.load(trace, { autoplay: wish.step === null, plain, again, estimate });
    if (wish.step === null && !player.playhead.playing) player.goto(player.trace.rounds[0]?.lastStep ?? 0); // nothing may move
    this.address.grown(true);
    this.player.setFigures(figures);
  };

  /** Its trace and its figures; null where they cannot be read, which is said. @param {Run} run */
  async read(run) {
    try {
      return await Promise.all(["traces", "figures"].map((folder) => this.page.read(`${folder}/${run.id}.json`)));
    } catch (problem) {
      if (this.shown !== run) return null;
      this.shown = null;
      this.page.say(word("site_unread", { why: problem.message }), "error");
      return null;
    }
  }
}

/**
 * The run that is asked for by its id, or by the method of a set-up, or else the opening run of a real
 * chat model, which needs nothing installed here; and what is wrong with that.
 *
 * @param {Run[]} runs
 * @param {Wish} wish
 */
export function runFor(runs, { run, setup }) {
  const method = setup && (new URLSearchParams(setup).get("method") ?? UNSAID_METHOD);
  const known = runs.find((each) => (run === null ? each.method === method : each.id === run));
  const wrong = [];
  if (run === null && known) wrong.push(word("link_made_elsewhere"));
  else if (!known && (run || method)) wrong.push(word("link_no_run", { value: brief(run || method) }));
  return { run: known ?? runs.find((each) => each.id === OPENING) ?? runs[0], wrong };
}

/** Origin of a run. @param {Run} run */
const about = (run) => word(run.about.draft ? "site_about" : "site_about_alone", run.about);
