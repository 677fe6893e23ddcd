/**
 * A table of results whose heads sort it, a race's or a sweep's; its caller draws the lines.
 *
 * A real table, so that a keyboard and a screen reader can walk it; every text enters through textContent.
 */

import { element, empty } from "../elements.js";
import { columnName } from "../figures.js";
import { scrollBox } from "./plain.js";
import { say } from "../words.js";

/** @typedef {import("../figures.js").Column} Column */
/** @typedef {{id: string, direction: "ascending" | "descending"}} Order */

export const NAME = "title"; // the id of the first column, of what a row is called

const ARROWS = { ascending: "▲", descending: "▼", none: "" };
const TURNED = /** @type {const} */ ({ ascending: "descending", descending: "ascending" });
const natural = new Intl.Collator(undefined, { numeric: true }).compare; // width=2 comes before width=10

export class SortedTable {
  /**
   * @param {string} label
   * @param {{className?: string, order?: Order | null, returns?: boolean, draw: () => void}} settings
   *   order: null is that of the rows as they come; returns: whether a third press goes back to it; draw: redraws.
   */
  constructor(label, { className = "", order = null, returns = false, draw }) {
    this.order = order;
    this.returns = returns;
    this.draw = draw;
    this.heads = element("tr");
    this.top = element("thead", "", [this.heads]);
    this.body = element("tbody");
    this.table = element("table", "sr-table" + className, [
      element("caption", "sp-visually-hidden", label),
      this.top,
      this.body,
    ]);
    this.root = scrollBox("sr-table-box", label, [this.table]);
  }

  /**
   * Draws by `draw(heads, body)`, both empty; what had the focus gets it back.
   *
   * @param {(heads: Element, body: Element) => void} draw
   */
  fill(draw) {
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.table.contains(active) ? active.dataset.key : undefined;
    empty(this.heads);
    empty(this.body);
    draw(this.heads, this.body);
    if (focused) this.keyed(focused)?.focus({ preventScroll: true });
  }

  /** The part that bears a key.
   *  @param {string} key */
  keyed(key) {
    return Array.from(/** @type {NodeListOf<HTMLElement>} */ (this.table.querySelectorAll("[data-key]"))).find(
      (node) => node.dataset.key === key,
    );
  }

  /**
   * The head of a column: a button that sorts by it, the direction if it is sorted, and where its numbers come from.
   *
   * @param {Partial<Column> & {id: string, title: string}} column
   * @param {{long?: boolean}} [shape] long: a title that gets two lines
   */
  head(column, { long = false } = {}) {
    const direction = this.order && this.order.id === column.id ? this.order.direction : "none";
    const name = column.kind ? columnName(column) : column.title;
    const unbroken = (/** @type {string} */ text) => text.replace("-", "\u2011");
    const title = element("span", "sr-column" + (long ? " sr-long" : ""), unbroken(column.title));
    const about = {
      type: "button",
      title: column.help || "",
      "aria-label": say("table_sort", { title: unbroken(name) }),
      "data-key": "sort " + column.id,
    };
    const button = element("button", "sr-sort", null, about, [
      title,
      element("span", "sr-arrow", ARROWS[direction], { "aria-hidden": "true" }),
    ]);
    button.addEventListener("click", () => this.sortBy(column));
    const cell = element("th", column.id === NAME ? "sr-first" : "", null, { scope: "col", "aria-sort": direction }, [
      button,
    ]);
    if (column.kind) cell.append(element("span", "sr-kind sr-kind-" + column.kind, say("kind_" + column.kind)));
    return cell;
  }

  /** A first press puts the best on top, a second one the other end.
   *  @param {{id: string, better?: string | null}} column */
  sortBy(column) {
    /** @type {Order["direction"]} */
    const first = column.better === "high" ? "descending" : "ascending";
    const now = this.order && this.order.id === column.id ? this.order.direction : null;
    if (now === null) this.order = { id: column.id, direction: first };
    else this.order = this.returns && now !== first ? null : { id: column.id, direction: TURNED[now] };
    this.draw();
  }

  /**
   * The rows in the order that is chosen; those without the number come last, whichever way the others are sorted.
   *
   * @template Row
   * @param {Row[]} rows
   * @param {(row: Row, id: string) => string | number | null} valueOf
   */
  sorted(rows, valueOf) {
    if (!this.order) return rows;
    const { id, direction } = this.order;
    const sign = direction === "ascending" ? 1 : -1;
    return rows.slice().sort((a, b) => {
      const [one, other] = [valueOf(a, id), valueOf(b, id)];
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      return (
        sign *
        (typeof one === "number" && typeof other === "number" ? one - other : natural(String(one), String(other)))
      );
    });
  }
}
