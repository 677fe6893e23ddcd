/**
 * A server's log: a file goes to the server, which adds it up; this shows what it found.
 *
 *   mount(host, {ask})
 */

import { scrollBox, tableAround, tableLine } from "../../shared/tables/plain.js";
import { Charts } from "../../shared/plots/charts.js";
import { element, legible, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { askedIn, brief, numberIn, queryOf } from "../address.js";
import { Asking, inBase64 } from "../asking.js";
import { chipButton } from "../editor.js";

const MAX_BYTES = 10_000_000;
// Usual costs of a drafted token, in plain steps: no call, or the share of the target's weights that a call reads.
const USUAL = { ngram: 0, head: 0.036, tenth: 0.1 }; // EAGLE's head for a 7 B: 0.24 of 6.7 billion weights

// What SGLang recorded of a request of DeepSeek-V4-Flash, block size 5, as told under its pull request 33518.
const EXAMPLE = {
  meta_info: {
    completion_tokens: 106,
    spec_verify_ct: 43,
    spec_num_correct_drafts: 63,
    spec_num_proposed_drafts: 215,
    spec_correct_drafts_histogram: [11, 14, 11, 4, 0, 3],
  },
};

class ServersLab {
  constructor(host, { ask }) {
    this.asking = new Asking(ask);
    this.content = "";
    this.name = "";
    const file = element("input", "lab-file", null, { type: "file", "aria-label": say("log_open") });
    file.addEventListener("change", () => this.open(file));
    const open = element("label", "lab-chip lab-open", say("log_open"), {}, [file]);
    const example = chipButton(
      say("log_try"),
      say("log_try_title"),
      () => this.take(say("log_try_title"), btoa(JSON.stringify(EXAMPLE))),
      "lab-chip",
    );
    this.draft = cost("log_draft_cost", "", () => this.changed());
    this.verify = cost("log_verify_cost", "1", () => this.changed());
    const usual = Object.entries(USUAL).map(([name, value]) => {
      const said = say("log_usual_" + name, { cost: brief(value) });
      return chipButton(said, said, () => this.usual(value), "lab-chip");
    });
    this.status = element("p", "sp-quiet", null, { role: "status" });
    const controls = element("section", "sp-panel lab-log-controls", [
      pasteBox((text) => this.take(say("log_paste"), encoded(text))),
      element("div", "lab-presets", [open, example]),
      this.draft.root,
      element("div", "lab-presets", usual),
      this.verify.root,
      element("p", "sp-quiet", say("log_costs")),
      this.status,
    ]);
    this.title = element("h2", "lab-log-title");
    this.level = element("p", "sp-quiet");
    this.verdict = element("p", "lab-log-verdict");
    this.onward = element("a", "lab-chip lab-log-onward", say("log_onward"), { target: "_blank" });
    this.facts = element("dl", "sp-why-facts");
    this.notes = element("ul", "lab-log-notes");
    this.remarks = element("ul", "lab-log-remarks sp-quiet");
    this.charts = new Charts();
    this.found = element("section", "lab-log-found", null, { hidden: "", "aria-live": "polite" }, [
      this.verdict,
      this.onward,
      this.title,
      this.level,
      this.facts,
      this.notes,
      this.remarks,
    ]);
    this.card = element("tbody");
    this.charts.root.classList.add("lab-full");
    this.root = element("div", "spec-player spec-lab spec-log", null, { role: "group" }, [
      this.asking.root,
      controls,
      this.found,
      this.charts.root,
      nameCard(this.card),
    ]);
    host.appendChild(this.root);
    this.follow(askedIn("servers"));
    this.asking.answer({ type: "names" }, "names").then((answer) => answer && this.showNames(answer.names));
  }

  /** The costs are in the address; a log does not leave the page by a link. */
  query() {
    return queryOf("servers", { draft_cost: this.draft.value(), verify_cost: this.verify.value() });
  }

  follow(query) {
    if (!query) return;
    this.draft.set(numberIn(query, "draft_cost", 0, 100, ""));
    this.verify.set(numberIn(query, "verify_cost", 0, 100, 1));
  }

  /** @param {number} value a usual cost of a drafted token */
  usual(value) {
    this.draft.set(brief(value));
    this.changed();
  }

  async open(input) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    const name = legible(file.name);
    if (file.size > MAX_BYTES) return setText(this.status, say("log_large", { name }));
    try {
      this.take(name, await inBase64(file));
    } catch (problem) {
      setText(this.status, say("log_failed", { name, why: problem.message }));
    }
  }

  take(name, content) {
    this.content = content;
    this.name = name;
    setText(this.status, say("log_reading", { name }));
    this.changed();
  }

  changed() {
    if (!this.content) return;
    const name = this.name;
    /** @type {import("../../page/messages.js").Question} */
    const request = {
      type: "log",
      content: this.content,
      draft_cost: this.draft.value(),
      verify_cost: this.verify.value() ?? 1,
    };
    this.found.hidden = true;
    this.charts.set([]);
    const read = (answer) => {
      setText(this.status, say("log_read", { name }));
      this.show(answer);
    };
    this.asking.want(request, read, () => setText(this.status, ""));
  }

  show({ title, level, verdict, expected, facts, charts, notes, remarks }) {
    this.found.hidden = false;
    this.onward.hidden = !expected;
    if (expected) this.onward.href = this.speedLink(expected);
    setText(this.title, title);
    setText(this.level, level);
    setText(this.verdict, verdict);
    this.facts.replaceChildren(
      ...facts.map(([name, value]) => element("div", "", [element("dt", "", name), element("dd", "", value)])),
    );
    this.notes.replaceChildren(...notes.map((note) => element("li", "", note)));
    this.remarks.replaceChildren(...remarks.map((remark) => element("li", "", remark)));
    this.charts.set(charts);
  }

  /** Address of the lab of expected speed and of load, with what the log says and the cost of a draft. */
  speedLink([alpha, length]) {
    const draft = this.draft.value();
    const rates = { alpha: brief(alpha), draft_length: length, cost_ratio: draft, load_cost: draft };
    return queryOf("speed", { ...rates, log: this.name });
  }

  showNames(names) {
    this.card.replaceChildren(
      ...names.map(([server, ...cells]) =>
        tableLine(
          server,
          cells.map((cell) => cell || "–"),
        ),
      ),
    );
  }
}

/** A text box whose content is read as soon as it is pasted. @param {(text: string) => void} read */
function pasteBox(read) {
  const box = element("textarea", "lab-costs", null, {
    rows: 3,
    spellcheck: "false",
    placeholder: say("log_paste_hint"),
    "aria-label": say("log_paste"),
  });
  box.addEventListener("input", () => box.value.trim() && read(box.value));
  return box;
}

/** Table of the names that servers have for the numbers, next to those here. */
function nameCard(rows) {
  const table = tableAround(
    "lab-log-names",
    ["log_server", "log_theirs", "log_ours", "log_extra"].map((name) => say(name)),
    [rows],
  );
  return element("details", "sp-panel lab-full", [
    element("summary", "sp-panel-title", say("log_names")),
    scrollBox("lab-table-box", say("log_names"), [table]),
  ]);
}

/** A field for a cost in plain steps; one that is empty is not known. */
function cost(name, value, changed) {
  const input = element("input", "lab-number", null, {
    type: "number",
    min: 0,
    max: 100,
    step: "any",
    value,
    placeholder: say("log_unknown"),
  });
  input.addEventListener("change", changed);
  const root = element("label", "lab-log-cost", [element("span", "", say(name)), input]);
  return {
    root,
    value: () => (input.value === "" ? null : Number(input.value)),
    set: (to) => (input.value = String(to)),
  };
}

/** Text in base64, as its bytes in UTF-8. @param {string} text */
function encoded(text) {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export function mount(host, options) {
  return new ServersLab(host, options);
}
