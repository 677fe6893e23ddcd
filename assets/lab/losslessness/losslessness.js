/**
 * The losslessness bench: choose one or two methods, press Start, and watch their distance from the exact distribution.
 *
 *   mount(host, {ask})
 */

import { element, empty, losslessMark, setText } from "../../shared/elements.js";
import { phrase, say } from "../../shared/words.js";
import { askedIn, linkButton, numberIn, queryOf } from "../address.js";
import { Asking } from "../asking.js";
import { chipButton, selectBox } from "../editor.js";
import { Distance } from "./distance.js";
import { Greedy } from "./greedy.js";
import { LossyMap } from "./map.js";
import { Subject } from "./subject.js";

const POLL_MS = 300;
const AMOUNTS = [1000, 10000, 100000, 1000000];
const GOING = ["starting", "running", "paused"];
const OVER = ["finished", "stopped", "left", "failed"];
const ON_PAIR = 1000; // samples of language models: some dozens a second

class Bench {
  constructor(host, { ask }) {
    this.asking = new Asking(ask);
    this.root = element("div", "spec-player spec-lab spec-bench", null, { role: "group" }, [this.asking.root]);
    host.appendChild(this.root);
    this.state = "idle";
    /** @type {any[]} what each sampler has drawn so far */
    this.series = [];
    this.most = 0; // samples that each will have
    /** @type {any[]} fields that only language models need */
    this.ofPair = [];
    /** @type {Subject[]} */
    this.subjects = [];
    /** @type {Record<string, any>} number fields by name */
    this.numbers = {};
    this.distance = new Distance();
    this.on = selectBox(
      say("bench_on"),
      [
        ["tables", say("bench_tables")],
        ["pair", say("bench_pair")],
      ],
      () => this.choosePlace(),
    );
    this.prompt = element("input", "lab-text", null, { type: "text", "aria-label": say("bench_prompt") });
    this.samples = selectBox(
      say("bench_samples"),
      AMOUNTS.map((each) => [each, each.toLocaleString("en")]),
      () => {},
    );
    this.start = chipButton(say("bench_start"), say("bench_start"), () => this.begin(), "lab-chip lab-start");
    this.stop = chipButton(say("bench_stop"), say("bench_stop"), () => this.end(), "lab-chip");
    this.status = element("p", "sp-quiet", null, { role: "status" });
    this.blank = element("p", "lab-blank", say("bench_blank"));
    this.findings = element("div", "lab-findings");
    this.id = null; // the server's name of the run
    this.unwanted = false; // stopped before the server had said what it is called
    this.asking.answer({ type: "catalogue" }).then((catalogue) => catalogue && this.build(catalogue, ask));
  }

  build(catalogue, ask) {
    this.subjects = [
      new Subject(say("bench_first"), catalogue, { optional: false }),
      new Subject(say("bench_second"), catalogue, { optional: true }),
    ];
    const { num_tokens, kept, seed, prompt } = catalogue.limits;
    this.numbers = {
      num_tokens: number(say("bench_tokens"), num_tokens, 2),
      kept: number(say("bench_kept"), kept, 4),
      seed: number(say("bench_seed"), seed, 0),
    };
    const again = chipButton(say("bench_again"), say("bench_again"), () => this.again(), "lab-chip");
    const { seed: seeds, ...ofPair } = this.numbers;
    this.ofPair = [
      named(say("bench_prompt"), this.prompt, "lab-wide"),
      ...Object.values(ofPair).map((input) => named(input.title, input)),
    ];
    const settings = element("div", "lab-asked", [
      named(say("bench_on"), this.on),
      ...this.ofPair,
      named(say("bench_samples"), this.samples),
      named(say("bench_seed"), seeds),
    ]);
    const buttons = element("div", "lab-presets", [this.start, this.stop, again]);
    this.how = element("p", "sp-quiet", say("bench_how", { alpha: catalogue.caught }));
    const side = element(
      "div",
      "lab-top",
      this.subjects.map((each) => each.root),
    );
    this.root.append(
      side,
      settings,
      element("div", "lab-head", [buttons, this.status]),
      this.blank,
      this.distance.root,
      this.findings,
      this.how,
      linkButton(() => this.query()),
      new Greedy(ask).root,
      new LossyMap(catalogue.map, catalogue.methods).root,
    );
    this.prompt.maxLength = prompt;
    this.prompt.value = catalogue.prompt;
    this.samples.value = String(AMOUNTS[2]);
    this.subjects[0].set("speculative_sampling");
    this.subjects[1].set("typical_acceptance");
    this.follow(askedIn("losslessness"));
    this.fit();
    this.distance.root.hidden = true;
    this.say("idle");
  }

  choosePlace() {
    this.samples.value = this.on.value === "pair" ? String(ON_PAIR) : String(AMOUNTS[2]);
    this.fit();
  }

  fit() {
    for (const field of this.ofPair) field.hidden = this.on.value !== "pair";
  }

  say(state) {
    this.state = state;
    const going = GOING.includes(state);
    this.start.disabled = going;
    this.stop.disabled = !going;
    setText(this.status, say("bench_" + state));
  }

  async begin() {
    const runs = this.subjects.map((each) => each.value()).filter(Boolean);
    const titles = this.subjects.filter((each) => each.value());
    const value = (name) => Number(this.numbers[name].value);
    const request = {
      type: "start",
      runs,
      on: this.on.value,
      prompt: this.prompt.value,
      num_tokens: value("num_tokens"),
      num_likeliest: value("kept"),
      samples: Number(this.samples.value),
      seed: value("seed"),
    };
    const turn = (this.turn = {});
    this.id = null;
    this.unwanted = false; // stopped before the server had said what it is called
    this.say("starting");
    await this.opening; // one that was asked for before and has been given up: it is stopped first
    if (turn !== this.turn) return;
    this.opening = this.open(request, turn);
    const bench = await this.opening;
    if (turn !== this.turn) return;
    if (!bench) return this.say("idle");
    this.id = bench.id;
    if (this.unwanted) this.end();
    this.most = request.samples;
    this.series = bench.series.map((each, i) => ({
      ...each,
      badge: titles[i].method ? titles[i].method.badge : null,
      points: [],
      caught_at: null,
    }));
    this.show();
    while (turn === this.turn && !OVER.includes(this.state)) {
      const answer = await this.asking.answer({
        type: "poll",
        id: this.id,
        seen: this.series.map((each) => each.points.length),
      });
      if (turn !== this.turn) return;
      if (!answer) return this.say("failed");
      answer.series.forEach((each, i) => {
        const { points, ...rest } = each;
        Object.assign(this.series[i], rest);
        this.series[i].points.push(...points);
      });
      this.say(answer.state);
      if (answer.error) this.asking.tell("asked", answer.error);
      this.show();
      if (!OVER.includes(answer.state)) await new Promise((done) => setTimeout(done, POLL_MS));
    }
  }

  /** A bench on the server, null where it was refused or given up meanwhile. */
  async open(request, turn) {
    const bench = await this.asking.answer(request);
    if (!bench || turn === this.turn) return bench;
    await this.asking.answer({ type: "stop", id: bench.id });
    return null;
  }

  /** Start over with the next seed; end what is under way. */
  again() {
    if (GOING.includes(this.state)) this.end();
    this.numbers.seed.value = Number(this.numbers.seed.value) + 1;
    this.begin();
  }

  async end() {
    if (this.id) await this.asking.answer({ type: "stop", id: this.id });
    else this.unwanted = true;
  }

  show() {
    this.blank.hidden = true;
    this.distance.root.hidden = false;
    this.distance.show(this.series, this.most);
    empty(this.findings);
    this.series.forEach((each, i) => this.findings.appendChild(finding(each, i)));
  }

  query() {
    const address = askedIn("losslessness");
    if (!this.subjects.length) return address ? "?" + address : queryOf("losslessness", {}); // its catalogue has not come
    const state = {
      a: this.subjects[0].text(),
      b: this.subjects[1].text(),
      on: this.on.value,
      samples: this.samples.value,
      seed: this.numbers.seed.value,
    };
    if (this.on.value === "pair")
      Object.assign(state, {
        prompt: this.prompt.value,
        num_tokens: this.numbers.num_tokens.value,
        kept: this.numbers.kept.value,
      });
    return queryOf("losslessness", state);
  }

  follow(query) {
    if (!query) return;
    if (query.has("a")) this.subjects[0].set(query.get("a"));
    if (query.has("b")) this.subjects[1].set(query.get("b"));
    if (query.get("on") === "pair") this.on.value = "pair";
    if (query.get("prompt")) this.prompt.value = query.get("prompt").slice(0, this.prompt.maxLength);
    if (AMOUNTS.includes(Number(query.get("samples")))) this.samples.value = query.get("samples");
    for (const [name, input] of Object.entries(this.numbers))
      input.value = numberIn(query, name, Number(input.min), Number(input.max), input.value);
  }
}

function finding(series, i) {
  const mark = series.broken ? { lossless: false, mark: say("bench_mark"), words: "" } : series.badge;
  const head = element("h3", `lab-finding-title lab-finding-${i ? "second" : "first"}`, series.title + " ");
  if (mark) head.appendChild(losslessMark(mark));
  const claim = say(series.broken ? "bench_should" : series.claim ? "bench_claimed" : "bench_unclaimed");
  const numbers = numbersOf(series).map(([name, value]) =>
    element("div", "", [element("dt", "", say("bench_" + name)), element("dd", "", value)]),
  );
  return element("section", "sp-panel lab-finding", null, { "data-caught": series.caught_at !== null }, [
    head,
    element("p", "lab-verdict", series.verdict || ""),
    element("dl", "lab-numbers", numbers),
    element(
      "p",
      "sp-quiet",
      say("bench_compared", { ...series, law: phrase(`claim.${series.law}`, series.law), claim }),
    ),
  ]);
}

function numbersOf({ points, samples, seconds }) {
  const last = points[points.length - 1];
  const rate = seconds ? Math.round(samples / seconds) : 0;
  const speed = [
    ["time", (seconds || 0).toFixed(1)],
    ["rate", rate.toLocaleString("en")],
  ];
  if (!last) return [["count", "0"], ...speed, ["tv", "–"], ["noise", "–"], ["p", "–"]];
  return [
    ["count", last.samples.toLocaleString("en")], // those that the distance below is of
    ...speed,
    ["tv", last.tv.toFixed(4)],
    ["noise", last.noise_floor.toFixed(4)],
    ["p", last.p_value < 1e-15 ? "< 1e-15" : last.p_value.toPrecision(2)],
  ];
}

function number(title, [min, max], value) {
  const input = element("input", "lab-number", null, { type: "number", min, max, step: 1, title, "aria-label": title });
  input.value = value;
  return input;
}

function named(name, input, className = "") {
  return element("label", "lab-named " + className, [element("span", "", name), input]);
}

export const mount = (host, options) => new Bench(host, options);
