/**
 * Questions to the server while one drags: one is under way, and always the newest one is asked next.
 *
 *   const asking = new lab.Asking(ask)   .root: where a refusal is said
 *   asking.want(request, show)      show(answer) unless it is a refusal
 *   asking.later(request, show)     the same, once nothing was wanted for a moment: for answers that take long
 */
(function (lab) {
  "use strict";

  const { element, setText } = window.specPlayer;
  const SETTLED = 160; // ms

  lab.Asking = class {
    constructor(ask) {
      this.ask = ask;
      this.root = element("p", "sp-error", null, { role: "alert", hidden: "" });
      this.timer = null;
    }

    want(request, show) {
      this.wanted = { request, show, at: performance.now() };
      if (!this.busy) this.next();
    }

    later(request, show) {
      clearTimeout(this.timer);
      const timer = setTimeout(async () => {
        const found = await this.answer(request);
        if (found && timer === this.timer) show(found); // else something newer was wanted meanwhile
      }, SETTLED);
      this.timer = timer;
    }

    async next() {
      this.busy = true;
      while (this.wanted) {
        const { request, show, at } = this.wanted;
        this.wanted = null;
        const found = await this.answer(request);
        if (!found) continue;
        show(found);
        this.drawnAfter = performance.now() - at; // for whoever measures
      }
      this.busy = false;
    }

    async answer(request) {
      let found;
      try {
        found = await this.ask(request);
      } catch (problem) {
        found = { error: lab.say("failed", { reason: problem && problem.message ? problem.message : "no connection" }) };
      }
      this.root.hidden = !found.error;
      setText(this.root, found.error || "");
      return found.error ? null : found;
    }
  };
})((window.specLab = window.specLab || {}));
