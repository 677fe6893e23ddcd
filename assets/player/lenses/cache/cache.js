/**
 * The life of the target's cache: the slots of the round at the cursor in full, those of every round below.
 *
 * A cell is a slot in the colour of its token's origin. The upper row is the target's call, the lower one what stays; a
 * line leads to where a slot is next. Slots that stay where they are come together in one block on the left.
 */

import { element, empty, setAttribute, setText, shownWidth, svg, visible } from "../../../shared/elements.js";
import { magnitude } from "../../../shared/numbers.js";
import { say } from "../../../shared/words.js";
import { stateOf } from "../../trace/records.js";
import { Rows } from "./rows.js";
import { bytesPerSlot, freedBy, heldBy, slotsOf, totalsOf } from "./slots.js";

/** @import { Trace } from "../../trace/trace.js" */

const BLOCK = 40; // px of the slots that stay where they are
const SHOWN = 3; // of them, at least, besides those that the call writes
const OVER = 46; // px that a slanted token extends past the last cell
const LABELS = 56; // px above the upper row
const TITLE = 18; // px of a row's title
const FALL = 40; // px between the rows
const LETTER = 15; // px a cell needs at least for its token to be written above it
const [LEAST, MOST] = [2, 26]; // px of a cell

/** @typedef {import("./slots.js").Slots} Slots */
/** @typedef {import("../../trace/records.js").TreeNode} TreeNode */
/** @typedef {import("../../trace/records.js").Step} Step */

/** @param {number} bytes */
const bytesSaid = (bytes) => magnitude(Math.round(bytes)) + "B";

export class Cache {
  /** @param {{point: Function, pick: Function, seek: (step: number) => void}} at */
  constructor(at) {
    this.at = at;
    this.said = element("p", "sp-cache-said");
    this.beside = element("p", "sp-quiet");
    this.svg = svg("svg", "sp-cache-slots", null, { role: "img" });
    this.key = keyOf();
    this.rows = new Rows(at.seek);
    this.total = element("p", "sp-quiet");
    this.root = element("section", "sp-panel sp-cache", [
      element("h3", "sp-panel-title", say("cache_label")),
      this.said,
      this.svg,
      this.key,
      this.beside,
      this.rows.root,
      this.total,
    ]);
    /** @type {Map<TreeNode, Element>} */
    this.cells = new Map();
    this.stamp = "";
    this.count = -1;
    /** @type {Slots[] | null} */
    this.all = null;
    /** @type {any} */
    this.trace = null;
  }

  clear() {
    this.stamp = "";
    this.trace = null;
  }

  /** Draws where the panel has a width. @param {any} trace @param {Step | null} step */
  show(trace, step) {
    const width = shownWidth(this.root);
    if (!width) return;
    this.read(trace);
    const stamp = `${step?.index}/${width}`;
    if (this.stamp === stamp) return;
    this.stamp = stamp;
    const now = this.all?.find(({ round }) => round === step?.round) ?? null;
    this.tell(step, now);
    for (const part of [this.svg, this.key]) part.style.display = now ? "" : "none";
    if (now && step) this.draw(now, step, width);
    this.rows.show(step ? (this.all ?? []) : [], step, width);
  }

  /** Takes the slots in, once for a number of events. @param {Trace} trace */
  read(trace) {
    if (trace === this.trace && trace.count === this.count) return;
    [this.trace, this.count, this.stamp] = [trace, trace.count, ""];
    this.all = slotsOf(trace);
  }

  /** @param {Step | null} step @param {Slots | null} now */
  tell(step, now) {
    const { run } = this.trace;
    const each = bytesPerSlot(run?.target ?? {});
    const nothing = say(this.all === null && step ? "cache_unknown" : "mask_none");
    setText(this.said, now && step ? sentence(now, step, each) : nothing);
    setText(this.beside, now && step && isOver(now, step) ? besides(now, each, Boolean(run?.draft)) : "");
    this.tellTotals((this.all ?? []).filter((slots) => step && isOver(slots, step)));
  }

  /** @param {Slots[]} past */
  tellTotals(past) {
    const { bytes, ...totals } = totalsOf(this.trace, past);
    setText(this.total, past.length ? say("cache_total", { ...totals, bytes: bytesSaid(bytes) }) : "");
  }

  /** @param {Slots} now @param {Step} step @param {number} available px */
  draw(now, step, available) {
    const held = [...now.before, ...now.written];
    const still = Math.max(0, firstMoved(held, now) - SHOWN);
    const cells = held.slice(still);
    const named = (available - BLOCK - OVER - 8) / cells.length >= LETTER;
    const cell = Math.min(MOST, Math.max(LEAST, (available - BLOCK - (named ? OVER : 4) - 8) / cells.length));
    const top = TITLE + (named ? LABELS : 4);
    const below = top + cell + FALL;
    const over = isOver(now, step);
    const [width, height] = [BLOCK + 6 + cells.length * cell + (named ? OVER : 4), below + cell + TITLE + 6];
    setAttribute(this.svg, "viewBox", `0 0 ${width} ${height}`);
    setAttribute(this.svg, "width", width);
    setAttribute(this.svg, "height", height);
    setAttribute(this.svg, "aria-label", this.said.textContent);
    empty(this.svg);
    this.cells.clear();
    /** @param {number} slot */
    const x = (slot) => BLOCK + 6 + (slot - still) * cell;
    this.title(say("cache_in_call", { held: held.length }), 12);
    if (still) this.block(still, top, cell);
    held.forEach((node, slot) => {
      if (slot < still || !isThere(node, now, step)) return;
      const side = { x: x(slot), y: top, size: cell };
      this.cells.set(node, this.cell(node, side, classOf(node, now, step), step));
      if (named) this.name(node, x(slot) + cell / 2, top - 5);
    });
    if (!over) return this.title(say("cache_pending"), below + cell / 2 + 5);
    if (still) this.block(still, below, cell);
    now.kept.forEach((node, slot) => {
      if (slot < still) return;
      const from = held.indexOf(node);
      this.line(x(from) + cell / 2, top + cell, x(slot) + cell / 2, below, now.moved.has(node));
      this.cell(node, { x: x(slot), y: below, size: cell }, now.moved.has(node) ? "sp-slot-moved" : "", step);
    });
    this.title(say("cache_after", { kept: now.kept.length }), below + cell + TITLE - 2);
  }

  /** @param {string} text @param {number} y */
  title(text, y) {
    this.svg.appendChild(svg("text", "sp-cache-title", text, { x: 0, y }));
  }

  /**
   * The slots that stay where they are, with their number.
   * @param {number} count @param {number} y @param {number} size
   */
  block(count, y, size) {
    const middle = { x: BLOCK / 2, y: y + size / 2, "text-anchor": "middle", "dominant-baseline": "central" };
    this.svg.append(
      svg("rect", "sp-cached", null, { x: 0, y, width: BLOCK, height: size, rx: 3 }, [
        svg("title", "", say("cache_earlier", { count })),
      ]),
      svg("text", "sp-mask-count", "+" + count, middle),
    );
  }

  /**
   * @param {TreeNode} node @param {{x: number, y: number, size: number}} it
   * @param {string} className @param {Step} step
   */
  cell(node, { x, y, size }, className, step) {
    const gap = size > 6 ? 1.5 : size > 3 ? 0.5 : 0;
    const side = size - gap;
    const state = stateOf(node, step);
    const box = svg("rect", `sp-slot sp-is-${state} ${className}`, null, {
      x: x.toFixed(1),
      y,
      width: side.toFixed(1),
      height: side.toFixed(1),
      rx: Math.min(3, side / 4),
    });
    box.appendChild(svg("title", "", visible(node.piece, 30)));
    box.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && this.at.point(node));
    box.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && this.at.point(null));
    box.addEventListener("click", () => this.at.pick(node));
    return this.svg.appendChild(box);
  }

  /** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {boolean} moved */
  line(x1, y1, x2, y2, moved) {
    const bend = (y2 - y1) / 2;
    this.svg.appendChild(
      svg("path", "sp-slot-way" + (moved ? " sp-slot-way-moved" : ""), null, {
        d: `M${x1} ${y1 + 1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2 - 2}`,
      }),
    );
  }

  /** @param {TreeNode} node @param {number} x @param {number} y */
  name(node, x, y) {
    this.svg.appendChild(
      svg("text", "sp-mask-label", visible(node.piece, 9), { transform: `translate(${x} ${y})rotate(-50)` }),
    );
  }

  /** @param {TreeNode | null} node */
  highlight(node) {
    for (const [each, cell] of this.cells) cell.classList.toggle("sp-slot-marked", each === node);
  }
}

/** Slots in front of the first that moves, is freed or is written. @param {TreeNode[]} held @param {Slots} it */
function firstMoved(held, { before, kept }) {
  const first = held.findIndex((node, slot) => slot >= before.length || kept[slot] !== node);
  return first < 0 ? held.length : first;
}

/** The round has ended at the step, or before it. @param {Pick<Slots, "round">} slots @param {Step} step */
const isOver = ({ round }, step) =>
  step.round === round ? ["committed", "finished"].includes(step.kind) : step.index > round.lastStep;

/** The step comes behind the target's call in the round. @param {Pick<Slots, "round">} slots @param {Step} step */
const isCalled = ({ round }, step) =>
  step.round !== round ? step.index > round.lastStep : !["start", "drafted"].includes(step.kind);

/**
 * A slot is there at the step: a drafted token's only once it is drafted.
 * @param {TreeNode} node @param {Pick<Slots, "round">} slots @param {Step} step
 */
function isThere(node, { round }, step) {
  return node.round !== round.number || node.layer === null || isCalled({ round }, step) || node.layer <= step.layers;
}

/** @param {TreeNode} node @param {Slots} now @param {Step} step */
function classOf(node, now, step) {
  if (isOver(now, step) && !now.kept.includes(node)) return "sp-slot-freed";
  if (!now.written.includes(node)) return "sp-slot-earlier";
  return isCalled(now, step) ? "" : "sp-slot-reserved";
}

/** @param {Slots} now @param {Step} step @param {number} each */
function sentence(now, step, each) {
  const held = heldBy(now);
  const values = {
    round: now.round.number,
    before: now.before.length,
    written: now.written.length,
    held,
    bytes: bytesSaid(held * each),
    kept: now.kept.length,
    moved: now.moved.size,
    freed: freedBy(now),
  };
  return say(
    isOver(now, step)
      ? values.freed
        ? "cache_over"
        : "cache_all_stay"
      : isCalled(now, step)
        ? "cache_written"
        : "cache_reserved",
    values,
  );
}

/**
 * Sentences on a cache for each beam and on the draft models' caches.
 * @param {Slots} it @param {number} each @param {boolean} drafted
 */
function besides({ separate, drafts }, each, drafted) {
  const beams = separate
    ? [say("cache_beams", { beams: separate.beams, separate: separate.slots, bytes: bytesSaid(separate.slots * each) })]
    : [];
  const models = drafts.map(({ bytes, ...draft }) => say("cache_draft", { ...draft, bytes: bytesSaid(bytes) }));
  return [...beams, ...(drafted && !drafts.length ? [say("cache_draft_unknown")] : models)].join(" ");
}

function keyOf() {
  /** @param {string} className @param {string} name */
  const entry = (className, name) =>
    element("li", "", [
      svg("svg", "", null, { width: 14, height: 14, "aria-hidden": "true" }, [
        svg("rect", "sp-slot " + className, null, { x: 1, y: 1, width: 12, height: 12, rx: 3 }),
      ]),
      element("span", "", say(name)),
    ]);
  return element("ul", "sp-cache-key", [
    entry("sp-is-prompt sp-slot-earlier", "lens_lookup_earlier"),
    entry("sp-is-accepted", "cache_key_written"),
    entry("sp-is-accepted sp-slot-moved", "cache_key_moved"),
    entry("sp-is-not_tested sp-slot-freed", "cache_key_freed"),
  ]);
}
