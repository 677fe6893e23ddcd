/**
 * The player: mounts the parts into a host and keeps them on one cursor.
 *
 *   const p = mount(host, {label, openInLab, everywhere, first});
 *       openInLab(position): where the page around has a Lab; everywhere: keys work on the whole page, but for fields;
 *       first: views that the page around puts before those of the panel, as side.js has them;
 *       beside: what it tells beside the stage, which presenting takes along;
 *       ends: whether a run ends on its whole text
 *   p.load(trace, {autoplay, names}) a recorded run; names: of sequences of tokens, as trace.js has them
 *   p.begin() p.append(events) p.finish(message)   a live one
 *   p.expect() p.relent()            a run was asked for; it does not come
 *   p.setFigures(charts) p.error(sentence) p.state() p.goto(step)
 *   p.on("seen", f)                  whatever is seen may have changed; p.share(f, l) to copy a link to it, and its text
 *
 * A trace is folded in trace.js; this file only connects input (keys, buttons, pointing) with its effects.
 */

import "./lenses/order.js";
import { element, setText } from "../shared/elements.js";
import { inItsLanguage, say } from "../shared/words.js";
import { arrange, sideOf } from "./arrangement.js";
import { Draw } from "./lenses/draw/draw.js";
import { Lenses } from "./lenses/lens.js";
import { Ending } from "./tour/ending.js";
import { Callouts } from "./tour/callouts.js";
import { Lead } from "./tour/lead.js";
import { About } from "./panels/about.js";
import { Caption } from "./panels/caption.js";
import { Depths } from "./panels/depths.js";
import { Details } from "./panels/details.js";
import { Figures } from "./panels/figures.js";
import { Mask } from "./panels/mask.js";
import { Cache } from "./lenses/cache/cache.js";
import { Text } from "./panels/text.js";
import { Totals } from "./panels/totals.js";
import { Waiting } from "./panels/waiting.js";
import { actionsOf } from "./playback/actions.js";
import { actionOf, Controls } from "./playback/controls.js";
import { Length } from "./playback/length.js";
import { Playhead } from "./playback/playhead.js";
import { Ratio } from "./playback/ratio.js";
import { Timeline } from "./playback/timeline.js";
import { Presenting } from "./presenting/presenting.js";
import { Cast } from "./stage/cast.js";
import { Tree } from "./stage/tree.js";
import { Citation } from "./take/citation.js";
import { TakeAway } from "./take/take.js";
import { breachOfFile } from "./trace/checks.js";
import { measuredRun } from "./trace/measured.js";
import { session } from "../shared/session.js";
import { Tour } from "./tour/tour.js";
import { subjectOf } from "./trace/records.js";
import { Trace } from "./trace/trace.js";
import { current } from "./trace/version_2.js";
import { WhatIf } from "./what_if/what_if.js";

const NARROW = 820; // px of player width below which everything is in one column

/** @typedef {import("./trace/records.js").TreeNode} TreeNode */

class Player {
  /**
   * @param {HTMLElement} host
   * @param {{label?: string, openInLab?: (position: object) => void, everywhere?: boolean, ends?: boolean,
   *   first?: [string, HTMLElement[]][], beside?: HTMLElement | null}} [wishes]
   */
  constructor(host, { label, openInLab, everywhere = false, first = [], ends = true, beside = null } = {}) {
    this.host = host;
    this.trace = new Trace();
    /** @type {TreeNode | null} */
    this.hovered = null;
    /** @type {TreeNode | null} */
    this.pinned = null;
    /** @type {{seen: (() => void)[]}} */
    this.listeners = { seen: [] };
    /** @type {(kind: "link" | "frame") => void} */
    this.copy = () => {};
    /** @type {() => string | null} the link to what is seen; null where there is none */
    this.linkHere = () => null;
    this.origin = "recorded"; // or "live", or "made" once a live one has ended
    this.measure = () => {};
    const point = (node) => inItsLanguage(host, () => this.point(node));
    this.playhead = new Playhead({
      moved: (_, duration) => inItsLanguage(host, () => this.render(duration)),
      changed: () => inItsLanguage(host, () => this.showControls()),
    });
    this.tree = new Tree({ point, pick: (node) => inItsLanguage(host, () => this.pin(node)) });
    this.lead = new Lead();
    this.callouts = new Callouts(this.tree);
    this.draw = new Draw(this);
    this.text = new Text({ point, pick: (node) => this.visit(node) });
    this.details = new Details({ release: () => this.pin(null), openInLab: openInLab || null });
    this.mask = new Mask({ point, pick: (node) => this.pin(node) });
    this.cache = new Cache({ point, pick: (node) => this.pin(node), seek: (step) => this.playhead.goto(step) });
    this.timeline = new Timeline((step) => this.playhead.goto(step));
    this.actions = actionsOf(this);
    this.controls = new Controls(this.actions);
    this.totals = new Totals();
    this.ratio = new Ratio();
    this.length = new Length();
    this.citation = new Citation();
    this.about = new About((run) => this.citation.show(run));
    this.cast = new Cast();
    this.depths = new Depths();
    this.lenses = new Lenses({ point, pick: (node) => this.pin(node), unfolded: () => this.showMarked() });
    this.figures = new Figures();
    this.caption = new Caption();
    this.whatIf = new WhatIf(this);
    this.ending = new Ending(this, ends);
    this.tour = new Tour(this);
    this.waiting = new Waiting();
    this.problem = element("p", "sp-error", null, { role: "alert", hidden: "" });
    this.side = sideOf(this, first);
    this.root = element("div", "spec-player sp-run" + (first.length ? "" : " sp-closed"), null, {
      tabindex: 0,
      role: "group",
      "aria-label": label || say("stage_label"),
    });
    this.presenting = new Presenting(this, beside);
    arrange(this);
    this.away = new TakeAway(this);
    this.watch(everywhere ? document : this.root);
    this.reset();
  }

  // -- the page ------------------------------------------------------------------------------------------------

  /** @param {Document | HTMLElement} keyed where keys are heard */
  watch(keyed) {
    keyed.addEventListener("keydown", (event) => this.key(event));
    // A press with the mouse leaves the focus where it is, so that the next Space plays and does not press again.
    this.root.addEventListener(
      "mousedown",
      (event) => /** @type {Element} */ (event.target).closest("button") && event.preventDefault(),
    );
    const measure = () => {
      this.root.classList.toggle("sp-narrow", this.root.clientWidth > 0 && this.root.clientWidth < NARROW);
      const { clientWidth, clientHeight } = this.tree.root; // as large as the style sheet makes it
      if (clientWidth === 0) return;
      this.tree.resize(clientWidth, clientHeight);
      this.callouts.show(this.step);
      this.draw.show(this.step, 0, this.callouts.isOver);
      this.ending.fit();
      this.guard(() => this.showSide());
    };
    this.measure = measure;
    if (window.ResizeObserver) {
      const observer = new ResizeObserver(measure);
      for (const part of [this.root, this.tree.root, this.side.root]) observer.observe(part);
    }
    measure();
  }

  // -- traces --------------------------------------------------------------------------------------------------

  /**
   * @param {Record<string, string>} [names]
   * @param {number[] | null} [plain] as `besides` takes them
   * @param {number[] | null} [again]
   */
  reset(names, plain = null, again = null) {
    this.trace = new Trace(names);
    this.besides(plain, again);
    this.callouts.offer(false);
    this.ending.hear(null);
    this.hovered = null;
    this.pinned = null;
    this.tree.clear();
    this.text.clear();
    this.mask.clear();
    this.cache.clear();
    this.lenses.clear();
    this.figures.set([]); // those of a run come with its end
    this.tour.close();
    this.whatIf.pair(null);
    this.playhead.reset(this.trace.steps);
    this.problem.hidden = true;
    this.origin = "recorded";
    this.relent();
    this.waiting.tell("empty");
    this.render(0);
    this.showControls();
  }

  /**
   * Plain decoding of the same prompt and seed, or none: when it had each token.
   *
   * @param {number[] | null} plain
   * @param {number[] | null} [again] seconds at the end of each round, in the median of several such runs
   * @param {import("../page/messages.js").Beside | null} [beside] all runs of both, as wholes
   */
  besides(plain, again = null, beside = null) {
    this.timeline.load(plain, again);
    this.ratio.load(plain, again, beside);
  }

  /** A run was asked for: the stage is cleared for it at once. What was there comes back if it does not begin. */
  expect(why = /** @type {"expected" | "opening"} */ ("expected")) {
    if (this.playhead.live) return;
    this.playhead.leave();
    this.waiting.tell(why);
    this.showWaiting(true);
  }

  relent() {
    this.showWaiting(false);
  }

  showWaiting(expected = this.waiting.expected) {
    this.waiting.expected = expected;
    this.waiting.show(this.step === null);
    this.root.classList.toggle("sp-expecting", expected);
  }

  /**
   * @param {any} file
   * @param {{autoplay?: boolean, names?: Record<string, string>, plain?: number[] | null, again?: number[] | null,
   *   estimate?: Ending["estimate"]}} [how]
   */
  load(file, { autoplay = false, names, plain, again, estimate = null } = {}) {
    this.reset(names, plain, again);
    this.ending.hear(estimate);
    const trace = current(file);
    const why = breachOfFile(trace);
    if (why) return this.error(why);
    this.take(trace.events, 0);
    this.callouts.offer(autoplay);
    this.guard(() => {
      this.measure();
      this.render(0);
    });
    if (autoplay && !this.playhead.still.matches && this.trace.steps.length > 1) this.playhead.start();
    this.showControls();
  }

  begin() {
    this.reset();
    this.waiting.tell("waiting");
    this.origin = "live";
    this.playhead.live = true;
    this.playhead.following = true;
    this.playhead.start();
  }

  append(events) {
    const head = this.playhead;
    const first = this.trace.steps.length === 0;
    this.take(Array.isArray(events) ? events : [events], this.trace.count);
    const newest = this.trace.rounds[this.trace.rounds.length - 1] || null;
    this.guard(() => {
      this.measure();
      if (head.following && head.cursor === 0 && head.last > 0) {
        // The first tree is drawn at once, so that the stage is not empty while a run is under way.
        head.cursor = 1;
        this.render(0);
      } else if (first || (this.step && this.step.round === newest)) this.render(first ? 0 : 200);
      else this.timeline.show(this.trace, head.cursor);
      head.grown();
    });
    this.showControls();
  }

  /** @param {string} [message] @param {Ending["estimate"]} [estimate] */
  finish(message, estimate = null) {
    this.ending.hear(estimate);
    this.playhead.live = false;
    this.origin = "made";
    this.about.show(this.trace, this.origin);
    session.add(measuredRun(this.trace));
    if (message) this.error(message);
    if (!this.trace.steps.length) {
      this.playhead.leave();
      this.waiting.tell("empty");
    } else if (this.playhead.cursor >= this.playhead.last) this.playhead.leave();
    this.showControls();
  }

  /** Folds events in; the first that cannot be read ends the reading and is named. */
  take(events, before) {
    for (let i = 0; i < events.length; i++) {
      try {
        this.trace.push(events[i]);
      } catch (problem) {
        const why =
          problem instanceof TypeError || problem instanceof RangeError
            ? say("error_inside", { why: problem.message })
            : problem.message;
        return this.error(say("error_event", { index: before + i + 1, why }));
      }
    }
    if (this.presenting.on) this.presenting.key.show(this.trace); // a link presents before its run is there
  }

  /** A trace can satisfy the contract and still be inconsistent; the reader then gets a sentence. */
  guard(work) {
    try {
      work();
    } catch (problem) {
      this.error(say("error_live", { why: problem.message }));
    }
  }

  error(message) {
    setText(this.problem, String(message || ""));
    this.problem.hidden = !message;
  }

  setFigures(charts) {
    this.figures.set(charts);
    this.showSide();
  }

  /** The panel is there or takes no room. @param {boolean} wanted */
  openPanel(wanted) {
    if (this.root.classList.contains("sp-closed") !== wanted) return;
    this.root.classList.toggle("sp-closed", !wanted);
    this.controls.panel.setAttribute("aria-pressed", String(wanted));
    this.measure();
    this.tell();
  }

  /** The panel shows another view. */
  turned() {
    this.openPanel(true);
    this.guard(() => inItsLanguage(this.host, () => this.showSide()));
    this.tell();
  }

  /** Draws what can only be drawn in sight: the mask, the lens, and charts that have waited for it. */
  showSide() {
    this.mask.show(this.step);
    this.cache.show(this.trace, this.step);
    this.showMarked();
    if (this.side.root.clientWidth) this.figures.draw(this.side.shown, this.step);
  }

  // -- the cursor ----------------------------------------------------------------------------------------------

  get step() {
    return this.trace.steps[this.playhead.cursor] || null;
  }

  render(duration) {
    const step = this.step;
    this.timeline.show(this.trace, this.playhead.cursor);
    this.about.show(this.trace, this.origin);
    this.whatIf.name();
    this.cast.show(this.trace, step, duration);
    this.depths.show(this.trace, step);
    this.totals.show(this.trace, step);
    this.ratio.show(this.trace, step);
    this.length.show(this.trace, this.ratio);
    this.text.show(this.trace, step);
    this.mask.show(step);
    this.cache.show(this.trace, step);
    this.showWaiting();
    this.lead.show(this.trace);
    if (step) this.tree.show(this.trace, step, duration);
    this.callouts.show(step);
    this.draw.show(step, this.playhead.shownFor(), this.callouts.isOver);
    this.ending.show(this.trace, step);
    this.caption.show(this.trace, step, this.playhead);
    this.focus();
    this.figures.move(step);
    this.showControls();
  }

  showControls() {
    if (this.controls) this.controls.show(this.playhead);
    this.tell();
  }

  // -- pointing ------------------------------------------------------------------------------------------------

  point(node) {
    if (this.hovered === node) return;
    this.hovered = node;
    this.focus();
  }

  pin(node) {
    this.keep(node === this.pinned ? null : node);
    if (!this.pinned) return;
    this.openPanel(true);
    const isBelow = this.root.classList.contains("sp-narrow") && !this.presenting.on;
    if (isBelow) this.side.root.scrollIntoView({ block: "nearest" });
  }

  keep(node) {
    this.pinned = node;
    this.focus();
    this.tell();
  }

  /** Goes to where an emitted token was decided, and keeps it in the inspector. */
  visit(node) {
    const round = this.trace.roundOf(node);
    this.keep(node);
    if (!round) return;
    const verdict = this.trace.steps.findIndex(
      (step) =>
        step.round === round && step.verdict && step.verdict.node === node && step.verdict.outcome === "accepted",
    );
    this.playhead.goto(verdict >= 0 ? verdict : round.lastStep);
  }

  /** The token all panels speak of: the one pointed at, else the one kept, else the one this step is about. */
  focus() {
    const step = this.step;
    const marked = this.hovered || this.pinned;
    this.root.classList.toggle("sp-marked", marked !== null);
    this.tree.highlight(marked);
    this.text.highlight(marked);
    this.showMarked();
    const subject = marked || (step && subjectOf(step));
    this.details.show(this.trace, step, subject, marked !== null && marked === this.pinned);
    this.whatIf.show(subject);
  }

  /** In the mask and the lens the token that is pointed at or kept, else the one that was judged. */
  showMarked() {
    const marked = this.hovered || this.pinned;
    this.lenses.show(this.trace, this.step, marked, this.playhead.playing);
    for (const part of [this.mask, this.cache, this.lenses])
      part.highlight(marked || (this.step && this.step.verdict ? this.step.verdict.node : null));
  }

  // -- wishes --------------------------------------------------------------------------------------------------

  /** The panel takes half of the width, for what is wide, or gives it back. */
  widen() {
    this.side.setWide(this.root.classList.toggle("sp-wide"));
    this.measure();
    this.tell();
  }

  key(event) {
    const unheard = event.defaultPrevented || !this.root.getClientRects().length;
    const action = unheard ? null : this.presenting.actionOf(event, actionOf(event));
    if (!action) return;
    if (this.presenting.on && action !== "blank") this.presenting.blank(false);
    if (action === "release" && !this.pinned) return;
    if (action === "open_in_lab" && !this.details.position) return;
    event.preventDefault();
    event.stopPropagation();
    this.actions[action](Number(event.key));
  }

  // -- for the page around ---------------------------------------------------------------------------------------

  goto(step) {
    this.playhead.goto(step);
  }

  state() {
    const step = this.step;
    const { playing, following, cursor } = this.playhead;
    return {
      step: cursor,
      steps: this.trace.steps.length,
      round: step && step.round ? step.round.number : 0,
      kind: step ? step.kind : null,
      playing,
      following,
      speed: this.playhead.speed,
      totals: step ? { ...step.totals } : {},
    };
  }

  on(name, listener) {
    if (this.listeners[name]) this.listeners[name].push(listener);
  }

  /** Tell the page that the visible state may have changed. */
  tell() {
    this.listeners.seen.forEach((listener) => listener());
  }

  /** @param {(kind: "link" | "frame") => void} copy @param {() => string | null} link */
  share(copy, link) {
    this.copy = copy;
    this.linkHere = link;
    this.away.links.hidden = false;
    this.ending.offerLinks();
  }
}

/** Mounts a player into a host element; a second call returns the same one. */
export function mount(host, options) {
  if (!host.specPlayer) host.specPlayer = new Player(host, options);
  return host.specPlayer;
}
