/** Every round of a run as a row of slots, one below the other; a press on one goes there. */

import { element, setAttribute, setText, svg } from "../../../shared/elements.js";
import { say } from "../../../shared/words.js";
import { freedBy, heldBy } from "./slots.js";

const TALL = 190; // px of all rows together, unless there are few
const [LEAST, MOST] = [2, 12]; // px of a row

/** @typedef {import("./slots.js").Slots} Slots */

export class Rows {
  /** @param {(step: number) => void} seek */
  constructor(seek) {
    this.title = element("h3", "sp-panel-title", say("cache_rounds"));
    this.note = element("p", "sp-quiet", say("cache_rounds_note"));
    this.svg = svg("svg", "sp-cache-rows", null, { role: "img" });
    this.root = element("div", "sp-cache-all", null, { hidden: "" }, [this.title, this.svg, this.note]);
    this.row = 0; // px
    /** @type {Slots[]} */
    this.all = [];
    this.drawn = "";
    /** @param {any} event */
    const at = (event) => {
      const box = this.svg.getBoundingClientRect();
      return this.all[Math.floor((event.clientY - box.top) / this.row)] ?? null;
    };
    this.svg.addEventListener("click", (event) => {
      const slots = at(event);
      if (slots) seek(slots.round.lastStep);
    });
    this.svg.addEventListener("pointermove", (event) => {
      const slots = at(event);
      const { number } = slots?.round ?? {};
      setText(this.tip, slots ? say("cache_row", { round: number, held: heldBy(slots), freed: freedBy(slots) }) : "");
    });
    this.tip = svg("title");
    this.here = svg("rect", "sp-cache-here", null, { x: 0.75, rx: 2 });
    this.later = svg("rect", "sp-cache-later", null, { x: 0 });
  }

  /** @param {Slots[]} all @param {import("../../trace/records.js").Step | null} step @param {number} room */
  show(all, step, room) {
    this.root.hidden = !all.length;
    if (!step || !all.length) return;
    if (this.all !== all || this.drawn !== String(room)) this.draw(all, room);
    const index = all.findIndex(({ round }) => round === step.round);
    const seen = index >= 0 ? index + 1 : step.kind === "start" ? 0 : all.length;
    const width = Number(this.svg.getAttribute("width"));
    this.here.style.display = index < 0 ? "none" : "";
    setAttribute(this.here, "y", Math.max(0, index) * this.row);
    setAttribute(this.here, "height", this.row);
    setAttribute(this.here, "width", width - 1.5);
    setAttribute(this.later, "y", seen * this.row);
    setAttribute(this.later, "width", width);
    setAttribute(this.later, "height", (all.length - seen) * this.row);
  }

  /** @param {Slots[]} all @param {number} room */
  draw(all, room) {
    [this.all, this.drawn] = [all, String(room)];
    this.row = Math.min(MOST, Math.max(LEAST, TALL / all.length));
    const width = room - 2;
    const cell = width / Math.max(1, ...all.map(heldBy));
    const height = this.row - (this.row > 4 ? 1.5 : this.row > 2.5 ? 0.5 : 0);
    /** @type {Record<string, string>} */
    const paths = {};
    all.forEach((slots, i) => {
      for (const [kind, from, until] of stretches(slots)) {
        const wide = (until - from) * cell;
        paths[kind] =
          `${paths[kind] ?? ""}M${(from * cell).toFixed(2)} ${(i * this.row).toFixed(2)}h${wide.toFixed(2)}v${height}h${(-wide).toFixed(2)}z`;
      }
    });
    const drawn = Object.entries(paths).map(([kind, d]) => svg("path", "sp-slot " + kind, null, { d }));
    this.svg.replaceChildren(this.tip, ...drawn, this.later, this.here);
    setAttribute(this.svg, "width", width);
    setAttribute(this.svg, "height", all.length * this.row);
    setAttribute(this.svg, "aria-label", say("cache_rounds"));
  }
}

/**
 * Runs of slots of one kind: its class, the first slot and the one behind the last.
 * @param {Slots} slots
 * @returns {[string, number, number][]}
 */
function stretches(slots) {
  const stays = new Set(slots.kept);
  const written = new Set(slots.written);
  /** @type {[string, number, number][]} */
  const runs = [];
  [...slots.before, ...slots.written].forEach((node, slot) => {
    const origin = node.kind === "prompt" ? "prompt" : (node.origin ?? "not_tested");
    const life = !stays.has(node) ? " sp-slot-freed" : written.has(node) ? "" : " sp-slot-earlier";
    const kind = `sp-is-${origin}${life}`;
    const last = runs[runs.length - 1];
    if (last && last[0] === kind) last[2] = slot + 1;
    else runs.push([kind, slot, slot + 1]);
  });
  return runs;
}
