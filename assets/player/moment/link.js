/**
 * A moment of a run as words of an address, and back. Pure: it reads no page and draws nothing.
 *
 *   #run=rsd_s&step=37&kept=112&panel=rule&theme=dark&hide=text,panel&made=1c9d03aa       a recorded run
 *   ?method=rsd_s&seed=7#step=37&made=1c9d03aa                                           one that is made again
 *   #run=rsd_s&if=2.14.rejected&step=37                                                  a branch of either
 *   ?method=rsd_s&seed=7#run=now                                                         one that is under way
 *
 * The words may follow "?" or "#"; "?" is also followed by the set-up of a run, which only a server reads.
 * Whatever a link says, it gives a moment; what could not be applied is reported in one sentence.
 */

import { say } from "../../shared/words.js";
import { changeIn, changeText } from "../what_if/change.js";

export const NAMES = /** @type {const} */ ([
  "run",
  "if",
  "step",
  "kept",
  "panel",
  "view",
  "theme",
  "hide",
  "made",
  "version",
]);
export const PANELS = ["token", "rule", "mask", "cache", "rounds", "about"];
const OLDER = { time: "about" }; // names of panels in links that were made before
const VIEWS = ["wide", "stage", "present"];
export const PARTS = ["text", "panel", "controls"];
const THEMES = ["light", "dark"];
export const NOW = "now"; // in place of a recorded run: that of the set-up is made at once
const VERSION = 1; // of these words; links name it from 2 on
const NUMBER = /^\d{1,15}$/;
const DIGEST = /^[0-9a-f]{8}$/;
const SHOWN = 40; // letters of a wrong value
const MANY = 4; // wrong values that are told one by one
const ELSEWHERE = ["settings", "api", "api-recorder"]; // views of the page around the player

/**
 * @typedef {object} Moment
 * @property {string | null} run a recorded one
 * @property {string} setup of a run that is made again: "method=rsd_s&seed=7"; no words where there is none
 * @property {import("../what_if/change.js").Change | null} branch what is different from that run
 * @property {number | null} step null: from the start, playing; where it is none, the start, standing still
 * @property {number | null} kept the key of the token that is kept
 * @property {string | null} panel
 * @property {string | null} view
 * @property {string | null} theme null: as the reader's system is
 * @property {string[]} hide
 * @property {string | null} made a digest of the tokens up to the step, by `digest`
 */

/** @type {Moment} */
export const NOWHERE = {
  run: null,
  setup: "",
  branch: null,
  step: null,
  kept: null,
  panel: null,
  view: null,
  theme: null,
  hide: [],
  made: null,
};

/**
 * What an address asks for, and what of it could not be taken.
 *
 * @param {{search: string, hash: string}} address
 * @returns {{moment: Moment, wrong: string[]}}
 */
export function read({ search, hash }) {
  const said = new URLSearchParams(search);
  const query = (said.get("tab") ?? "watch") === "watch" ? said : new URLSearchParams(); // another tab's set-up
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  /** @type {string[]} */
  const wrong = [];
  const take = (name, suits) => {
    const text = fragment.get(name) ?? query.get(name);
    if (text === null || suits(text)) return text;
    if (!(name === "view" && ELSEWHERE.includes(text)))
      wrong.push(say("link_unknown", { value: `${name}=${brief(text)}` }));
    return null;
  };
  const number = (name) => {
    const text = take(name, (value) => NUMBER.test(value));
    return text === null ? null : Number(text);
  };
  const version = take("version", (value) => NUMBER.test(value) && Number(value) >= 1);
  if (version !== null && Number(version) > VERSION) wrong.push(say("link_newer"));
  const hide = hiddenIn(
    take("hide", () => true),
    wrong,
  );
  const moment = {
    run: take("run", (value) => value !== ""),
    setup: setupOf(query),
    branch: changeIn(take("if", (value) => changeIn(value) !== null)),
    step: number("step") ?? (fragment.has("step") || query.has("step") ? 0 : null),
    kept: number("kept"),
    panel: panelNamed(take("panel", (value) => PANELS.includes(panelNamed(value)))),
    view: take("view", (value) => VIEWS.includes(value)),
    // the page's own choice is the later one
    theme: query.get("__theme") ? null : take("theme", (value) => THEMES.includes(value)),
    hide,
    made: take("made", (value) => DIGEST.test(value)),
  };
  for (const name of new Set(fragment.keys()))
    if (!known(name)) wrong.push(say("link_unknown", { value: brief(name) }));
  return { moment, wrong };
}

/** A panel by its present name. @param {string | null} name */
const panelNamed = (name) => (name !== null && Object.hasOwn(OLDER, name) ? OLDER[name] : name);

/** Parts that are to be hidden, in their own order; what is none of them goes to `wrong`. */
function hiddenIn(text, wrong) {
  const names = new Set(
    (text ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  );
  for (const part of names)
    if (!PARTS.includes(part)) wrong.push(say("link_unknown", { value: `hide=${brief(part)}` }));
  if (text !== null && !names.size) wrong.push(say("link_unknown", { value: "hide=" }));
  return PARTS.filter((part) => names.has(part));
}

/**
 * The words of a moment: {search, hash}, with what is usual left out.
 *
 * @param {Moment} moment
 */
export function write({ run, setup, branch, step, kept, panel, view, theme, hide, made }) {
  const words = new URLSearchParams();
  const add = (name, value) => value !== null && value !== "" && words.append(name, String(value));
  add("run", run);
  add("if", branch && changeText(branch));
  add("step", step);
  add("kept", kept);
  add("panel", panel);
  add("view", view);
  add("theme", theme);
  add("hide", hide.join(","));
  add("made", made);
  const hash = words.toString().replaceAll("%2C", ","); // commas need no sign, and are easier to read
  return { search: run === null && setup ? "?" + setup : "", hash: hash && "#" + hash };
}

/** One sentence on what could not be followed; "" where all could. */
export function sentence(wrong) {
  if (!wrong.length) return "";
  const more = wrong.length - MANY;
  const messages = more > 0 ? [...wrong.slice(0, MANY), say("link_more", { count: more })] : wrong;
  return say("link_wrong", { what: messages.join("; ") });
}

/** A line for an article or a slide that shows this address in a frame. */
export function frame(address) {
  const safe = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const size = 'width="960" height="480" style="border:0" allow="fullscreen"';
  return `<iframe src="${safe}" title="${say("link_frame_title")}" ${size}></iframe>`;
}

/**
 * Eight letters for all tokens that were read, drafted and emitted up to a step (FNV-1a, 32 bits): where they differ,
 * it is another run.
 *
 * @param {import("../trace/trace.js").Trace} trace
 * @param {import("../trace/records.js").Step | null} step
 */
export function digest(trace, step) {
  if (!trace.run || !step) return null;
  let sum = 0x811c9dc5;
  for (const token of tokensBy(trace, step))
    for (let shift = 0; shift < 32; shift += 8) sum = Math.imul(sum ^ ((token >>> shift) & 255), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}

/** All tokens that were read, drafted and emitted up to a step, in that order round by round. */
function* tokensBy(trace, step) {
  yield* trace.run.prompt_ids;
  for (const round of trace.rounds) {
    if (!step.round || round.number > step.round.number) break;
    const now = round === step.round;
    for (const layer of now ? round.layers.slice(0, step.layers) : round.layers)
      for (const draw of layer.draws) yield draw.node.token;
    if (!now || step.kind === "committed" || step.kind === "finished")
      for (const node of round.committed) yield node.token;
  }
}

const known = (name) =>
  /** @type {readonly string[]} */ (NAMES).includes(name) ||
  name.startsWith("__") ||
  ["tab", "language"].includes(name);

/** Words of a query that are not the moment's. */
function setupOf(query) {
  const words = new URLSearchParams();
  for (const [name, value] of query) if (!known(name)) words.append(name, value);
  return words.toString();
}

/** A wrong value, as long as a sentence bears it. */
export const brief = (text) => (text.length > SHOWN ? text.slice(0, SHOWN) + "…" : text);
