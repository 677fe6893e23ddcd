/**
 * The player: mounts the parts into a host and keeps them on one cursor.
 *
 *   const p = mount(host, {label, openInLab});   openInLab(position): where the page around has a Lab
 *   p.load(trace, {autoplay})        a recorded run
 *   p.begin() p.append(events) p.finish(message)   a live one
 *   p.setFigures(charts) p.error(sentence) p.state() p.goto(step) p.on("cursor", f)
 *
 * A trace is folded in trace.js; here only wishes (keys, buttons, pointing) and their consequences meet.
 */

import "./words.js";
import "./lenses/order.js";
import { Charts } from "../shared/charts.js";
import { element, empty, setText } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { Lenses } from "./lenses/lens.js";
import { Details } from "./panels/details.js";
import { Mask } from "./panels/mask.js";
import { tellRound, tellStep } from "./panels/narration.js";
import { Text } from "./panels/text.js";
import { Totals } from "./panels/totals.js";
import { actionOf, Controls } from "./playback/controls.js";
import { Playhead, SPEEDS } from "./playback/playhead.js";
import { Timeline } from "./playback/timeline.js";
import { legend } from "./stage/legend.js";
import { Tree } from "./stage/tree.js";
import { breachOfFile } from "./trace/contract.js";
import { measuredRun } from "./trace/measured.js";
import { session } from "../shared/session.js";
import { leavesOf, subjectOf } from "./trace/records.js";
import { Trace } from "./trace/trace.js";


const NARROW = 640; // px of player width below which the phone's sizes apply
const SPOKEN_EVERY = 1800; // ms between two sentences of the live region while playing

/** @typedef {import("./trace/records.js").TreeNode} TreeNode */

class Player {
  /**
   * @param {HTMLElement} host
   * @param {{label?: string, openInLab?: (position: object) => void}} [wishes]
   */
  constructor(host, { label, openInLab } = {}) {
    this.host = host;
    this.trace = new Trace();
    /** @type {TreeNode | null} */
    this.hovered = null;
    /** @type {TreeNode | null} */
    this.pinned = null;
    /** @type {{cursor: ((state: object) => void)[]}} */
    this.listeners = { cursor: [] };
    this.widest = 0; // leaves of the widest round so far
    this.measured = 0; // rounds looked at for that
    this.measure = () => {};
    this.spokenAt = 0;
    const point = (node) => this.point(node);
    this.playhead = new Playhead({ moved: (_, duration) => this.render(duration), changed: () => this.showControls() });
    this.tree = new Tree({ point, pick: (node) => this.pin(node) });
    this.text = new Text({ point, pick: (node) => this.visit(node) });
    this.details = new Details({ release: () => this.pin(null), openInLab: openInLab || null });
    this.mask = new Mask({ point, pick: (node) => this.pin(node) });
    this.timeline = new Timeline((step) => this.playhead.goto(step));
    this.actions = this.makeActions();
    this.controls = new Controls(this.actions);
    this.totals = new Totals();
    this.lenses = new Lenses({ point, pick: (node) => this.pin(node) });
    this.charts = new Charts();
    this.caption = element("p", "sp-caption");
    this.place = element("span", "sp-place");
    this.sentence = element("span", "sp-sentence");
    this.waiting = element("div", "sp-waiting", null, {}, [element("p", "sp-waiting-title"), element("p", "sp-quiet")]);
    this.problem = element("p", "sp-error", null, { role: "alert", hidden: "" });
    this.spoken = element("div", "sp-visually-hidden", null, { "aria-live": "polite" });
    this.root = element("div", "spec-player", null, { tabindex: 0, role: "group", "aria-label": label || say("stage_label") });
    this.build();
    this.watch();
    this.reset();
  }

  // -- the page ------------------------------------------------------------------------------------------------

  build() {
    this.caption.append(this.place, this.sentence);
    this.tree.root.appendChild(this.waiting);

    const stage = element("div", "sp-main", null, {}, [this.caption, this.tree.root, this.timeline.root, this.controls.root, this.lenses.root, legend()]);
    const lower = element("div", "sp-lower", null, {}, [this.mask.root, this.charts.root]);
    const inspector = element("div", "sp-side", null, {}, [this.details.root]);
    this.root.append(
      this.totals.head, this.problem, this.totals.root, stage, inspector, this.text.root, lower, this.totals.facts, this.controls.dialog, this.spoken,
    );
    // Inside Gradio the page's own switch decides on dark; a page of its own follows the system.
    if (!this.host.closest(".gradio-container, gradio-app")) this.root.dataset.scheme = "auto";
    this.root.addEventListener("keydown", (event) => this.key(event));
    empty(this.host);
    this.host.appendChild(this.root);
  }

  watch() {
    const measure = () => {
      const width = this.tree.root.clientWidth;
      this.root.classList.toggle("sp-narrow", this.root.clientWidth > 0 && this.root.clientWidth < NARROW);
      if (width > 0) this.tree.resize(width, this.stageHeight());
      if (width > 0) this.guard(() => this.showLenses());
    };
    this.measure = measure;
    if (window.ResizeObserver) new ResizeObserver(measure).observe(this.root);
    measure();
  }

  /** One height for the whole run, by its widest round; while a run is live it can only grow. */
  stageHeight() {
    const narrow = this.root.classList.contains("sp-narrow");
    const rounds = this.trace.rounds;
    for (; this.measured < rounds.length; this.measured++) this.widest = Math.max(this.widest, leavesOf(rounds[this.measured]));
    if (rounds.length) this.measured = rounds.length - 1; // the newest may still grow
    const size = this.widest <= 2 ? 0 : this.widest <= 8 ? 1 : 2;
    return (narrow ? [230, 300, 360] : [250, 400, 540])[size];
  }

  // -- traces --------------------------------------------------------------------------------------------------

  reset() {
    this.trace = new Trace();
    this.hovered = null;
    this.pinned = null;
    this.widest = 0;
    this.measured = 0;
    this.tree.clear();
    this.text.clear();
    this.mask.clear();
    this.lenses.clear();
    this.playhead.reset(this.trace.steps);
    this.problem.hidden = true;
    this.wait("empty", "empty_hint");
    this.render(0);
    this.showControls();
  }

  load(trace, { autoplay = false } = {}) {
    this.reset();
    const why = breachOfFile(trace);
    if (why) return this.error(why);
    this.take(trace.events, 0);
    this.guard(() => {
      this.measure();
      this.render(0);
    });
    if (autoplay && !this.playhead.still.matches && this.trace.steps.length > 1) this.playhead.start();
    this.showControls();
  }

  begin() {
    this.reset();
    this.wait("waiting", "waiting_hint");
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
        // The first tree stands at once: nobody should look at an empty stage while a run is under way.
        head.cursor = 1;
        this.render(0);
      } else if (first || (this.step && this.step.round === newest)) this.render(first ? 0 : 200);
      else this.timeline.show(this.trace, head.cursor);
      head.grown();
    });
    this.showControls();
  }

  finish(message) {
    this.playhead.live = false;
    session.add(measuredRun(this.trace));
    if (message) this.error(message);
    if (!this.trace.steps.length) {
      this.playhead.leave();
      this.wait("empty", "empty_hint");
    } else if (this.playhead.cursor >= this.playhead.last) this.playhead.leave();
    this.showControls();
  }

  /** Folds events in; the first that cannot be read ends the reading and is named. */
  take(events, before) {
    for (let i = 0; i < events.length; i++) {
      try {
        this.trace.push(events[i]);
      } catch (problem) {
        const why = problem instanceof TypeError || problem instanceof RangeError ? say("error_inside", { why: problem.message }) : problem.message;
        return this.error(say("error_event", { index: before + i + 1, why }));
      }
    }
  }

  /** A trace can keep every rule of the contract and still make no sense; then the reader gets a sentence. */
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
    this.charts.set(Array.isArray(charts) ? charts : []);
    this.charts.move(this.step);
  }

  // -- the cursor ----------------------------------------------------------------------------------------------

  get step() {
    return this.trace.steps[this.playhead.cursor] || null;
  }

  render(duration) {
    const step = this.step;
    this.timeline.show(this.trace, this.playhead.cursor);
    this.totals.show(this.trace, step);
    this.text.show(this.trace, step);
    this.mask.show(step);
    this.waiting.hidden = step !== null;
    if (step) {
      this.tree.show(this.trace, step, duration);
      setText(this.place, this.placeName(step));
      setText(this.sentence, tellStep(this.trace, step));
    } else {
      setText(this.place, "");
      setText(this.sentence, "");
    }
    this.focus();
    this.charts.move(step);
    this.speak(step);
    this.showControls();
    this.listeners.cursor.forEach((listener) => listener(this.state()));
  }

  placeName(step) {
    if (step.kind === "start") return say("start");
    if (step.kind === "finished") return say("end");
    const round = step.round.number;
    return this.playhead.live ? say("round", { round }) : say("round_of", { round, rounds: this.trace.rounds.length });
  }

  wait(title, hint) {
    setText(this.waiting.firstChild, say(title));
    setText(this.waiting.lastChild, say(hint));
  }

  speak(step) {
    if (!step || (step.kind !== "committed" && step.kind !== "finished") || step === this.said) return;
    const now = performance.now();
    if (this.playhead.playing && step.kind === "committed" && now - this.spokenAt < SPOKEN_EVERY) return;
    this.said = step;
    this.spokenAt = now;
    setText(this.spoken, step.kind === "committed" ? tellRound(step.round) : tellStep(this.trace, step));
  }

  showControls() {
    if (this.controls) this.controls.show(this.playhead);
  }

  // -- pointing ------------------------------------------------------------------------------------------------

  point(node) {
    if (this.hovered === node) return;
    this.hovered = node;
    this.focus();
  }

  pin(node) {
    this.pinned = node === this.pinned ? null : node;
    this.focus();
  }

  /** Goes to where an emitted token was decided, and keeps it in the inspector. */
  visit(node) {
    const round = this.trace.roundOf(node);
    this.pinned = node;
    if (!round) return this.focus();
    const verdict = this.trace.steps.findIndex((step) => step.round === round && step.verdict && step.verdict.node === node && step.verdict.outcome === "accepted");
    this.playhead.goto(verdict >= 0 ? verdict : round.lastStep);
  }

  /** The token all panels speak of: the one pointed at, else the one kept, else the one this step is about. */
  focus() {
    const step = this.step;
    const marked = this.hovered || this.pinned;
    this.tree.highlight(marked);
    this.text.highlight(marked);
    this.mask.highlight(marked || (step && step.verdict ? step.verdict.node : null));
    this.showLenses();
    this.details.show(this.trace, step, marked || (step && subjectOf(step)), marked !== null && marked === this.pinned);
  }

  showLenses() {
    const marked = this.hovered || this.pinned;
    this.lenses.show(this.trace, this.step, marked, this.playhead.playing);
    this.lenses.highlight(marked || (this.step && this.step.verdict ? this.step.verdict.node : null));
  }

  // -- wishes --------------------------------------------------------------------------------------------------

  makeActions() {
    const head = this.playhead;
    const goto = (step) => head.goto(step);
    const speed = (by) => head.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(head.speed) + by))]);
    return {
      toggle: () => head.toggle(),
      step_back: () => goto(head.cursor - 1),
      step_forward: () => goto(head.cursor + 1),
      round_back: () => goto(this.roundEdge(-1)),
      round_forward: () => goto(this.roundEdge(1)),
      restart: () => goto(0),
      to_end: () => goto(head.last),
      next_rejection: () => goto(this.nextRejection()),
      speed: (value) => head.setSpeed(value),
      slower: () => speed(-1),
      faster: () => speed(1),
      live: () => (head.following ? head.leave() : head.follow()),
      help: () => this.controls.dialog.open || this.controls.dialog.showModal(),
      release: () => this.pin(null),
      open_in_lab: () => this.details.open(),
    };
  }

  /** The first step of the next round, or of this one, or of the one before when already there. */
  roundEdge(direction) {
    const cursor = this.playhead.cursor;
    const firsts = this.trace.rounds.map((round) => round.firstStep);
    if (direction > 0) return firsts.find((step) => step > cursor) ?? this.playhead.last;
    return firsts.filter((step) => step < cursor).pop() ?? 0;
  }

  nextRejection() {
    const cursor = this.playhead.cursor;
    const found = this.trace.steps.find((step) => step.index > cursor && step.kind === "judged" && step.verdict?.outcome === "rejected");
    return found ? found.index : cursor;
  }

  key(event) {
    const action = actionOf(event);
    if (!action) return;
    if (action === "release" && !this.pinned) return;
    if (action === "open_in_lab" && !this.details.position) return;
    event.preventDefault();
    event.stopPropagation();
    this.actions[action]();
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
}

/** Mounts a player into a host element; a second call returns the same one. */
export function mount(host, options) {
  if (!host.specPlayer) host.specPlayer = new Player(host, options);
  return host.specPlayer;
}
