/**
 * The acceptance lab: two small distributions that one can drag, and what every rule makes of them.
 *
 *   const lab = specLab.mount(host, {ask})   ask(request) -> a promise of the server's answer, or of {error}
 *   lab.open({names, p, q, drafts, rule, note})
 *
 * The server computes; the page keeps one question under way and always asks the newest one next.
 */
(function (lab) {
  "use strict";

  const { element, setText } = window.specPlayer;
  const { say } = lab;
  const SETTLED = 160; // ms without a change after which the curve is asked for: 41 positions take longer than one

  class AcceptanceLab {
    constructor(host, { ask }) {
      this.ask = ask;
      this.editor = new lab.Editor(() => this.changed());
      this.bars = new lab.Bars();
      this.full = new lab.CouplingView(() => this.changed());
      this.curves = new lab.Curves(() => this.askCurve());
      this.origin = element("p", "lab-limit", null, { hidden: "" });
      this.problem = element("p", "sp-error", null, { role: "alert", hidden: "" });
      this.status = element("p", "sp-quiet", null, { role: "status" });
      const copy = lab.button(say("link"), say("link"), () => this.copyLink(), "lab-chip");
      this.root = element("div", "spec-player spec-lab", null, { role: "group" }, [
        this.origin, this.problem, this.editor.root, this.bars.root, this.full.root, this.curves.root, element("div", "lab-foot", null, {}, [copy, this.status]),
      ]);
      host.appendChild(this.root);
      const [, p, q, drafts] = lab.PRESETS[0];
      this.open(lab.fromAddress(window.location.search) || { p, q, drafts });
    }

    open({ names, p, q, drafts, rule, note }) {
      this.editor.set({ names, p, q, drafts });
      if (rule) this.full.rule.value = rule;
      this.origin.hidden = !note;
      setText(this.origin, note || "");
      this.changed();
    }

    changed() {
      this.wanted = { kind: "position", ...this.state() };
      this.changedAt = performance.now();
      if (!this.busy) this.next();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.askCurve(), SETTLED);
    }

    state() {
      const { p, q, drafts } = this.editor.value();
      return { target: p, draft: q, num_drafts: drafts, rule: this.full.rule.value };
    }

    async next() {
      this.busy = true;
      while (this.wanted) {
        const request = this.wanted;
        this.wanted = null;
        const found = await this.answer(request);
        if (found) this.show(found);
      }
      this.busy = false;
    }

    async answer(request) {
      let found;
      try {
        found = await this.ask(request);
      } catch (problem) {
        found = { error: say("failed", { reason: problem && problem.message ? problem.message : "no connection" }) };
      }
      this.problem.hidden = !found.error;
      setText(this.problem, found.error || "");
      return found.error ? null : found;
    }

    show(found) {
      const { names } = this.editor.value();
      this.editor.mark(found);
      this.bars.show(found, names);
      this.full.show(found, names);
      this.drawnAfter = performance.now() - this.changedAt; // for whoever measures
    }

    async askCurve() {
      const kind = this.curves.which.value;
      const curve = await this.answer({ kind, ...this.state() });
      if (curve && kind === this.curves.which.value) this.curves.show(curve, curve.value);
    }

    copyLink() {
      const { p, q, drafts } = this.editor.value();
      const link = window.location.origin + window.location.pathname + lab.toAddress({ p, q, drafts, rule: this.full.rule.value });
      const done = () => setText(this.status, say("copied"));
      const byHand = () => setText(this.status, say("copy_by_hand", { link }));
      if (navigator.clipboard) navigator.clipboard.writeText(link).then(done, byHand);
      else byHand();
    }
  }

  lab.mount = (host, options) => new AcceptanceLab(host, options);

  /** The lab's state as a query, and back; null where the address has none or a damaged one. */
  lab.toAddress = ({ p, q, drafts, rule }) => `?lab=acceptance&p=${p.join(",")}&q=${q.join(",")}&k=${drafts}&rule=${rule}`;

  lab.fromAddress = function (query) {
    const given = new URLSearchParams(query);
    if (given.get("lab") !== "acceptance") return null;
    const row = (name) => (given.get(name) || "").split(",").map(Number);
    const [p, q, drafts] = [row("p"), row("q"), Number(given.get("k"))];
    const sound = (values) => values.length >= 2 && values.length <= 8 && values.every((v) => Number.isFinite(v) && v >= 0) && values.some((v) => v > 0);
    if (!sound(p) || !sound(q) || p.length !== q.length || !(drafts >= 1 && drafts <= 6)) return null;
    const rule = lab.RULES.some(([id]) => id === given.get("rule")) ? given.get("rule") : null;
    return { p, q, drafts: Math.round(drafts), rule };
  };
})((window.specLab = window.specLab || {}));
