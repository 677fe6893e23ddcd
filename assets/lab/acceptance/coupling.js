/** One rule in full: p and q with their overlap, and a table of what was drafted against what comes out. */

import { element, empty, setText } from "../../shared/elements.js";
import { scrollBox, tableAround, tableLine } from "../../shared/tables/plain.js";
import { say } from "../../shared/words.js";
import { choicesOf, selectBox } from "../editor.js";
import { RULES, shown } from "../choices.js";

export class CouplingView {
  constructor(chosen) {
    this.rule = selectBox(say("full_title"), choicesOf("full_", RULES), chosen);
    this.overlap = element("p", "sp-quiet");
    this.rows = element("div", "lab-overlap", null, { role: "img", "aria-label": say("full_title") });
    this.key = element(
      "div",
      "lab-legend",
      ["q", "p", "min"].map((kind) =>
        element("span", "", [element("span", "lab-key lab-thin-" + kind), say("key_" + kind)]),
      ),
    );
    this.note = element("p", "sp-quiet", say("full_note"));
    this.box = scrollBox("lab-table-box", say("full_title"), []);
    this.exact = element("p", "lab-limit");
    const head = element("div", "lab-head", [element("h2", "sp-panel-title", say("full_title")), this.rule]);
    this.root = element("section", "sp-panel lab-full", [
      head,
      this.overlap,
      this.key,
      this.rows,
      this.note,
      this.box,
      this.exact,
    ]);
  }

  show(found, names) {
    const overlap = found.overlap.reduce((sum, value) => sum + value, 0);
    const text = found.residual
      ? say("coupling_overlap", { overlap: shown(overlap), missing: shown(1 - overlap) })
      : say("coupling_overlap_all");
    setText(this.overlap, text);
    this.rows.setAttribute("aria-label", text);
    this.showOverlap(found, names);
    empty(this.box);
    this.note.hidden = !found.coupling;
    if (!found.coupling) {
      setText(this.exact, found.why);
      return;
    }
    this.box.appendChild(this.table(found, names));
    setText(this.exact, say("full_exact", { gap: found.coupling.farthest.toExponential(1) }));
  }

  /** For each token three thin bars: q, p, and what they share. */
  showOverlap(found, names) {
    empty(this.rows);
    const most = Math.max(...found.target, ...found.draft);
    const bar = (kind, value) => {
      const node = element("span", "lab-thin lab-thin-" + kind, null, { title: `${kind} ${shown(value)}` });
      node.style.height = `${(100 * value) / most}%`;
      return node;
    };
    names.forEach((name, i) => {
      const pair = element("div", "lab-pair", [
        bar("q", found.draft[i]),
        bar("p", found.target[i]),
        bar("min", found.overlap[i]),
      ]);
      this.rows.appendChild(element("div", "lab-column", [pair, element("span", "lab-token", name)]));
    });
  }

  table(found, names) {
    const { coupling } = found;
    const heads = [say("full_drafted"), say("full_mass"), ...names];
    const most = Math.max(...coupling.accepted.flat(), ...coupling.corrected.flat());
    const lines = coupling.drafts.map((drafts, row) =>
      tableLine(element("th", "lab-token", drafts.map((i) => names[i]).join(" "), { scope: "row" }), [
        element("td", "lab-mass", shown(coupling.mass[row], 3)),
        ...names.map((_, i) => this.cell(coupling.accepted[row][i], coupling.corrected[row][i], most)),
      ]),
    );
    const sums = (title, values) =>
      element("tr", "lab-sum", [
        element("th", "", title, { scope: "row" }),
        element("td"),
        ...values.map((value) => element("td", "", shown(value, 3), { title: String(value) })),
      ]);
    const foot = element("tfoot", "", [sums(say("full_law"), coupling.law), sums(say("full_target"), found.target)]);
    return tableAround("lab-coupling", heads, [element("tbody", "", lines), foot]);
  }

  cell(accepted, corrected, most) {
    const cell = element("td");
    for (const [value, mark, kind] of [
      [accepted, "●", "accepted"],
      [corrected, "◇", "corrected"],
    ]) {
      if (value < 5e-7) continue;
      const part = element(
        "span",
        "lab-part lab-" + kind,
        `${mark} ${value < 0.0005 ? "<.001" : shown(value, 3).replace(/^0/, "")}`,
        { title: say(`full_${kind}`, { value }) },
      );
      part.style.setProperty("--share", `${Math.round(12 + (58 * value) / most)}%`);
      cell.appendChild(part);
    }
    return cell;
  }
}
