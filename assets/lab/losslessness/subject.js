/**
 * One method to be measured, or a rule that is broken on purpose, with its options.
 *
 *   new Subject(title, catalogue, {optional})   .root   .value() -> {name, options, broken} or null
 *   .set(text), .text(): "rsd_s:width=2", "broken.undivided", or "" for nothing, as a link writes it
 */

import { element, empty, losslessMark, setText } from "../../shared/elements.js";
import { languageOf, optionName, phrase, say } from "../../shared/words.js";

const BROKEN = "broken.";

export class Subject {
  constructor(title, catalogue, { optional }) {
    this.catalogue = catalogue;
    /** @type {Record<string, any>} fields by option */
    this.inputs = {};
    this.which = element("select", "lab-select", null, { "aria-label": title });
    if (optional) this.which.appendChild(element("option", "", say("bench_none"), { value: "" }));
    const group = (name, choices) =>
      this.which.appendChild(
        element(
          "optgroup",
          "",
          null,
          { label: name },
          choices.map(([value, text]) => element("option", "", text, { value })),
        ),
      );
    const named = (lossless) =>
      catalogue.methods
        .filter((each) => each.badge.lossless === lossless)
        .map((each) => [each.id, each.title + (lossless ? "" : ` · ${each.badge.mark}`)]);
    group(say("bench_lossless"), named(true));
    group(say("bench_lossy"), named(false));
    group(
      say("bench_broken"),
      catalogue.broken.map((each) => [BROKEN + each.id, each.title]),
    );
    this.which.addEventListener("change", () => this.choose());
    this.mark = element("span", "lab-mark");
    this.note = element("p", "sp-quiet");
    this.fields = element("div", "lab-fields");
    this.more = element("details", "lab-more", [element("summary", "", say("bench_options")), this.fields]);
    const head = element("div", "lab-head", [element("h2", "sp-panel-title", title), this.which, this.mark]);
    this.root = element("section", "sp-panel lab-subject", [head, this.note, this.more]);
    this.choose();
  }

  choose(values = {}) {
    const value = this.which.value;
    this.method = this.catalogue.methods.find((each) => each.id === value) || null;
    this.rule = value.startsWith(BROKEN) ? this.catalogue.broken.find((each) => BROKEN + each.id === value) : null;
    empty(this.mark);
    empty(this.fields);
    this.inputs = {};
    if (this.method) {
      this.mark.appendChild(losslessMark(this.method.badge));
      for (const option of this.method.options) {
        const key = `option.${option.key}`;
        const input = element("input", "lab-number", null, {
          type: "number",
          min: option.min,
          max: option.max,
          step: option.step,
          "aria-label": optionName(option),
        });
        input.value = option.name in values ? values[option.name] : option.value;
        this.inputs[option.name] = input;
        this.fields.appendChild(
          element("label", "lab-field", [
            element("span", "", optionName(option), languageOf(key)),
            input,
            element("small", "lab-help", phrase(`${key}.help`, option.help), languageOf(`${key}.help`)),
          ]),
        );
      }
    }
    if (this.rule)
      this.mark.appendChild(losslessMark({ lossless: false, mark: say("bench_mark"), words: this.rule.mistake }));
    setText(this.note, this.rule ? say("bench_mistake", this.rule) : this.method ? this.method.badge.words : "");
    this.more.hidden = !this.method || !this.method.options.length;
  }

  value() {
    if (this.rule) return { name: this.rule.id, options: {}, broken: true };
    if (!this.method) return null;
    return {
      name: this.method.id,
      options: Object.fromEntries(Object.entries(this.inputs).map(([name, input]) => [name, input.value])),
      broken: false,
    };
  }

  text() {
    if (!this.method) return this.which.value;
    const changed = this.method.options.filter((option) => Number(this.inputs[option.name].value) !== option.value);
    return [this.method.id, ...changed.map((option) => `${option.name}=${this.inputs[option.name].value}`)].join(":");
  }

  set(text) {
    const [name, ...options] = (text || "").split(":");
    if (![...this.which.options].some((each) => each.value === name)) return;
    this.which.value = name;
    this.choose(Object.fromEntries(options.map((each) => each.split("=")).filter((each) => each.length === 2)));
  }
}
