/**
 * The picture of a race that has ended, 1200 by 630 as links show them: the bars as they stood when the first lane was
 * at the finish, with each entry's place, speed-up and joules, the sentence, and the conditions of the numbers.
 */

import { element, legible, pressButton, setText } from "../shared/elements.js";
import { inSeconds } from "../shared/figures.js";
import { say } from "../shared/words.js";
import { cellsBy, ORIGINS, paths } from "./replay/bar.js";
import { energyOf, ordinal, ratioOf } from "./result.js";

const [WIDTH, HEIGHT, MARGIN] = [1200, 630, 48];
const MOST_LANES = 6;
const RANK = 18; // px of a lane's place
const [BARS, BAR_WIDTH, RESULTS] = [336, 540, 900]; // px: where bars begin, how wide they are, where numbers begin

/** @typedef {import("./replay/lane.js").Lane} Lane */
/** @typedef {import("../page/messages.js").RaceValue} RaceValue */

export class Card {
  constructor() {
    this.canvas = element("canvas", "", null, { width: WIDTH, height: HEIGHT, role: "img" });
    this.notice = element("p", "sp-quiet", null, { role: "status" });
    const button = (word, press) => {
      return pressButton("sr-watch", say(word), press);
    };
    const buttons = element("div", "sr-card-buttons", [
      button("card_copy", () => this.copy()),
      button("card_save", () => this.save()),
      this.notice,
    ]);
    this.root = element("figure", "sr-card", null, { hidden: "" }, [buttons, this.canvas]);
  }

  /**
   * @param {{lanes: Lane[], finish: number | null, budget: number, value: RaceValue}} race
   */
  draw({ lanes, finish, budget, value }) {
    const shown = best(lanes);
    this.root.hidden = !shown.length;
    setText(this.notice, "");
    if (!shown.length) return;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    const colours = this.colours();
    const family = getComputedStyle(this.root).fontFamily;
    const write = (text, x, y, { size = 18, weight = 400, colour = colours.ink, width = WIDTH - x - MARGIN } = {}) => {
      pen.font = `${weight} ${size}px ${family}`;
      pen.fillStyle = colour;
      pen.fillText(cut(pen, text, width), x, y);
    };
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, WIDTH, HEIGHT);
    write(say("card_title"), MARGIN, 62, { size: 20, weight: 600, colour: colours.quiet });
    pen.font = `700 32px ${family}`;
    const sentence = wrapped(pen, legible(value.verdict[0] || ""), WIDTH - 2 * MARGIN, 3);
    sentence.forEach((line, i) => write(line, MARGIN, 106 + 40 * i, { size: 32, weight: 700 }));
    const top = 106 + 40 * sentence.length;
    const step = Math.min(70, (HEIGHT - 100 - top) / shown.length);
    pen.font = `700 ${RANK}px ${family}`;
    const ratios = RESULTS + 10 + Math.max(0, ...shown.map((lane) => pen.measureText(rankOf(lane)).width));
    const drawn = { finish, budget, value, colours, write, ratios };
    shown.forEach((lane, i) => this.lane(pen, lane, top + step * i, step, drawn));
    const clock = finish === null ? "" : say("card_clock", { seconds: inSeconds(finish) }) + " ";
    pen.font = `400 16px ${family}`;
    const conditions = wrapped(pen, legible(value.conditions), WIDTH - 2 * MARGIN, 2);
    [clock + say("card_cells"), ...conditions].forEach((line, i) =>
      write(line, MARGIN, HEIGHT - 76 + 24 * i, { size: 16, colour: colours.quiet }),
    );
    this.canvas.setAttribute("aria-label", legible(value.verdict[0] || say("card_title")));
  }

  lane(pen, lane, y, step, { finish, budget, value, colours, write, ratios }) {
    const middle = y + step / 2;
    const height = Math.min(34, step - 16);
    const width = BAR_WIDTH / budget;
    const { name, label } = lane.data;
    const { text, spread, over, standing } = ratioOf(value.standings, label);
    const note = [lane.data.note, spread && over].filter(Boolean).join(", ");
    this.name(legible(name), legible(note), middle, step, { pen, write, colours });
    pen.fillStyle = colours.faint;
    pen.fillRect(BARS, middle - height / 2, BAR_WIDTH, height);
    pen.translate(BARS, middle - height / 2);
    const done = finish === null ? lane.rounds.length : lane.roundsBy(finish);
    for (const [letter, d] of Object.entries(paths(cellsBy(lane.rounds, done), { width, height }))) {
      pen.fillStyle = colours[ORIGINS[letter]];
      pen.fill(new Path2D(d), "evenodd");
    }
    flag(pen, height, colours.ink);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    write(rankOf(lane), RESULTS, middle - 3, { size: RANK, weight: 700 });
    write(text, ratios, middle - 3, { size: 20, weight: 700, colour: colours[standing] || colours.ink, width: 68 });
    write(spread || over, ratios + 72, middle - 4, { size: 16, colour: colours.quiet });
    write(energyOf(value.standings, label), RESULTS, middle + 18, { size: 16, colour: colours.quiet });
  }

  /** An entry's name in one line or two, and the note below it in letters that keep it whole. */
  name(name, note, middle, step, { pen, write, colours }) {
    const width = BARS - MARGIN - 20;
    const { fontFamily } = getComputedStyle(this.root);
    const line = Math.min(22, (step - 4) / 3);
    const size = Math.floor(Math.min(20, 0.92 * line));
    pen.font = `650 ${size}px ${fontFamily}`;
    const names = wrapped(pen, name, width, 2);
    const top = middle + 0.75 * line - ((names.length + (note ? 0.9 : 0)) * line) / 2;
    names.forEach((text, i) => write(text, MARGIN, top + line * i, { size, weight: 650, width }));
    if (!note) return;
    pen.font = `400 16px ${fontFamily}`;
    const fitting = Math.floor((Math.min(16, line) * width) / Math.max(width, pen.measureText(note).width));
    const small = Math.max(12, Math.min(16, fitting));
    write(note, MARGIN, top + line * names.length, { size: small, colour: colours.quiet, width });
  }

  /** Colours of the page in its light theme: the card is white wherever it goes. */
  colours() {
    const probe = this.root.appendChild(element("i", "", null, { style: "color-scheme: light; display: none" }));
    const origins = Object.fromEntries(
      Object.values(ORIGINS).map((name) => {
        probe.style.color = `var(--sp-${name})`;
        return [name, getComputedStyle(probe).color];
      }),
    );
    probe.style.color = "var(--sp-rejected)";
    const slower = getComputedStyle(probe).color;
    probe.remove();
    return { ...origins, faster: origins.accepted, slower, ink: "#1c2430", quiet: "#5b6573", faint: "#eef0f3" };
  }

  /** @returns {Promise<Blob>} */
  async blob() {
    /** @type {Blob | null} */
    const blob = await new Promise((done) => this.canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("This browser makes no PNG.");
    return blob;
  }

  /** Puts the picture into the clipboard; where a page may not, it is saved. */
  async copy() {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": this.blob() })]);
      setText(this.notice, say("card_copied"));
    } catch {
      await this.save();
      setText(this.notice, say("card_not_copied"));
    }
  }

  async save() {
    const address = URL.createObjectURL(await this.blob());
    element("a", "", null, { href: address, download: "race.png" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000); // a browser may ask where to, and read it only then
  }
}

/** Lanes with a run, in order; of many only the baseline and the first to finish. @param {Lane[]} lanes */
function best(lanes) {
  const running = lanes.filter((lane) => lane.run);
  if (running.length <= MOST_LANES) return running;
  const [plain, ...others] = running;
  const first = new Set(
    others
      .slice()
      .sort((a, b) => a.seconds / a.tokens - b.seconds / b.tokens)
      .slice(0, MOST_LANES - 1),
  );
  return [plain, ...others.filter((lane) => first.has(lane))];
}

const rankOf = (lane) => (lane.place ? ordinal(lane.place) : "");

function flag(pen, height, ink) {
  pen.fillStyle = ink;
  const side = 5;
  for (let row = 0; row * side < height; row++)
    pen.fillRect(BAR_WIDTH + side * (row % 2), row * side, side, Math.min(side, height - row * side));
}

function cut(pen, text, width) {
  const letters = Array.from(text);
  if (pen.measureText(text).width <= width) return text;
  while (letters.length && pen.measureText(letters.join("") + "…").width > width) letters.pop();
  return letters.join("") + "…";
}

/** A text in lines of at most this width; the last of them is cut where it is longer. */
function wrapped(pen, text, width, most) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = [lines[lines.length - 1], word].filter(Boolean).join(" ");
    if (lines.length < most && lines[lines.length - 1] && pen.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => cut(pen, line, width));
}
