/**
 * To take away: a link, a line to embed, the picture of the step shown as SVG and PNG, and a film of some rounds.
 *
 * All of it is made in the browser, so that it works in a saved page and in the static twin as in the app.
 */

import { element, pressButton, setAttribute, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { SPEEDS } from "../playback/playhead.js";
import { animate, filmForms, LONGEST, planOf, record } from "./film.js";
import { handFile, pngOf } from "./picture.js";
import { sheetOf, signsOn, STAGE } from "./sheet.js";
import { Studio } from "./studio.js";

const AT_FIRST = 20; // seconds of the film that is offered

export class TakeAway {
  /** @param {any} player */
  constructor(player) {
    this.player = player;
    /** @type {{text: string, width: number, height: number} | null} */
    this.sheet = null;
    /** @type {{cancelled: boolean} | null} the film that is being made */
    this.making = null;
    this.shown = element("img", "sp-take-shown", null, { alt: say("take_alt") });
    this.told = element("p", "sp-quiet sp-take-told", null, { role: "status" });
    this.links = element("div", "sp-take-row", null, { hidden: "" }, [
      this.press("copy_link", () => this.copy("link")),
      this.press("copy_frame", () => this.copy("frame")),
    ]);
    this.svg = this.press("take_svg", () => this.save("svg"));
    this.png = this.press("take_png", () => this.save("png"));
    this.clip = this.press("take_copy", () => this.copyPicture());
    this.from = element("input", "", null, { type: "number", min: 1, step: 1, inputmode: "numeric" });
    this.to = element("input", "", null, { type: "number", min: 1, step: 1, inputmode: "numeric" });
    this.speed = element("select", "", null, { "aria-label": say("speed") });
    for (const speed of SPEEDS) this.speed.appendChild(element("option", "", speed + "×", { value: speed }));
    this.forms = filmForms();
    this.makes = this.forms.map((form) =>
      pressButton("sp-take-press", say("take_make", { form: form.name }), () => this.film(form)),
    );
    this.gif = this.press("take_gif", () => this.animate());
    this.cancel = this.press("take_cancel", () => this.stop());
    this.progress = element("progress", "", null, { "aria-label": say("take_film") });
    this.lasts = element("p", "sp-quiet", null, { role: "status" });
    const named = (word, field) => element("label", "", [element("span", "", say(word)), field]);
    this.choice = element("div", "sp-take-row", [
      named("take_from", this.from),
      named("take_to", this.to),
      named("take_pace", this.speed),
    ]);
    for (const field of [this.from, this.to]) field.addEventListener("change", () => this.plan(true));
    this.speed.addEventListener("change", () => this.plan(false));
    const close = pressButton("sp-close", say("close"), () => this.dialog.close());
    this.dialog = element("dialog", "sp-take", null, { "aria-label": say("take_title") }, [
      element("h3", "", say("take_title")),
      this.links,
      element("h4", "", say("take_picture")),
      element("p", "sp-quiet", say("take_picture_hint")),
      this.shown,
      element("div", "sp-take-row", [this.clip, this.png, this.svg]),
      element("h4", "", say("take_film")),
      this.choice,
      this.lasts,
      element("div", "sp-take-row", [...this.makes, this.gif, this.progress, this.cancel]),
      element("div", "sp-take-row sp-take-foot", [this.told, close]),
    ]);
    this.dialog.addEventListener("close", () => this.stop());
    player.root.appendChild(this.dialog);
  }

  press(word, act) {
    return pressButton("sp-take-press", say(word), act);
  }

  open() {
    const { player } = this;
    if (!player.step || this.dialog.open) return;
    player.playhead.leave(); // the step that is shown stays while one chooses
    setText(this.told, "");
    this.dialog.showModal();
    this.guard("take_failed", () => {
      this.sheet = this.takePicture();
      this.shown.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(this.sheet.text);
    });
    this.offerFilm();
  }

  /** The page says that it is copied, so the dialog makes room. @param {"link" | "frame"} kind */
  copy(kind) {
    this.dialog.close();
    this.player.copy(kind);
  }

  // -- the picture -----------------------------------------------------------------------------------------------

  takePicture() {
    const studio = new Studio(this.player, STAGE);
    try {
      studio.pose(this.player.step, this.player.pinned);
      const { ratio } = this.player;
      const said = [ratio.number, ratio.said].map(({ textContent }) => textContent);
      return sheetOf(studio, this.player.step, {
        signs: signsOn(studio),
        ratio: ratio.root.hidden || !said[0] ? "" : `${said.join(": ")}.`,
        link: this.player.linkHere(),
      });
    } finally {
      studio.remove();
    }
  }

  save(kind) {
    return this.guard("take_failed", async () => {
      if (!this.sheet) return;
      const file = `${this.stem()}-step-${this.player.step.index + 1}.${kind}`;
      handFile(kind === "svg" ? new Blob([this.sheet.text], { type: "image/svg+xml" }) : await pngOf(this.sheet), file);
      setText(this.told, say("take_saved", { file }));
    });
  }

  /** Put the picture into the clipboard; where a page may not, it is saved. */
  copyPicture() {
    return this.guard("take_failed", async () => {
      if (!this.sheet) return;
      const png = pngOf(this.sheet);
      try {
        await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
        setText(this.told, say("take_copied"));
      } catch {
        await png; // one that could not be made is told as such
        await this.save("png");
      }
    });
  }

  /** A file's name; an opened trace may say anything, so only plain letters are taken. */
  stem() {
    const { method, seed } = this.player.trace.run;
    const plain = String(method)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 40);
    return `${plain || "run"}-seed-${Number(seed) || 0}`;
  }

  // -- the film --------------------------------------------------------------------------------------------------

  /** From the round that is shown on, as much as is comfortable to make. */
  offerFilm() {
    const { trace, step, playhead } = this.player;
    this.showMaking(false);
    this.choice.hidden = this.gif.hidden = !trace.rounds.length;
    if (!trace.rounds.length) return setText(this.lasts, say("take_no_round"));
    this.speed.value = String(playhead.speed);
    const from = Math.max(1, trace.rounds.indexOf(step.round) + 1);
    let to = from;
    while (to < trace.rounds.length && planOf(trace, { from, to: to + 1, speed: playhead.speed }).ms <= 1000 * AT_FIRST)
      to += 1;
    this.from.value = String(from);
    this.to.value = String(to);
    this.plan(false);
  }

  /**
   * What is chosen, brought into the run's bounds; says how long it lasts, and gives nothing where that is too long.
   */
  plan(checked) {
    const { trace } = this.player;
    const rounds = trace.rounds.length;
    const within = (field, least) => Math.max(least, Math.min(rounds, Math.round(Number(field.value)) || least));
    const wish = { from: within(this.from, 1), to: 0, speed: Number(this.speed.value) };
    wish.to = within(this.to, wish.from);
    const changed = String(wish.from) !== this.from.value || String(wish.to) !== this.to.value;
    [this.from.value, this.to.value] = [String(wish.from), String(wish.to)];
    const plan = planOf(trace, wish);
    const seconds = (plan.ms / 1000).toFixed(1);
    const isShort = plan.ms <= 1000 * LONGEST;
    const message = say(isShort ? "take_lasts" : "take_too_long", { seconds, speed: wish.speed, most: LONGEST });
    setText(this.lasts, (checked && changed ? say("take_range", { rounds }) + " " : "") + message);
    for (const make of this.makes) setAttribute(make, "aria-disabled", !isShort);
    return isShort ? { ...wish, plan } : null;
  }

  /** A picture of each step of the first round that is chosen. */
  animate() {
    const { from, speed } = this.plan(false) ?? { from: Number(this.from.value), speed: Number(this.speed.value) };
    return this.guard("take_film_failed", async () => {
      const file = `${this.stem()}-round-${from}.gif`;
      handFile(await animate(this.player, planOf(this.player.trace, { from, to: from, speed })), file);
      setText(this.told, say("take_saved", { file }));
    });
  }

  async film({ name, type }) {
    const chosen = this.making ? null : this.plan(false);
    if (!chosen) return;
    const making = (this.making = { cancelled: false });
    const all = (chosen.plan.ms / 1000).toFixed(1);
    this.showMaking(true);
    setText(this.lasts, say("take_filming", { all }));
    await this.guard("take_film_failed", async () => {
      const film = await record(this.player, chosen.plan, type, {
        cancelled: () => making.cancelled,
        told: (share) => (this.progress.value = share),
      });
      const file = `${this.stem()}-rounds-${chosen.from}-to-${chosen.to}.${name.toLowerCase()}`;
      if (film) handFile(film, file);
      setText(this.told, film ? say("take_filmed", { file, seconds: all }) : say("take_cancelled"));
    });
    this.making = null;
    this.showMaking(false);
    this.plan(false);
  }

  showMaking(making) {
    const focused = this.dialog.contains(document.activeElement);
    this.progress.hidden = this.cancel.hidden = !making;
    for (const make of [...this.makes, this.gif]) make.hidden = making;
    for (const field of [this.from, this.to, this.speed]) field.disabled = making;
    if (this.dialog.open && focused) (making ? this.cancel : this.makes[0]).focus();
  }

  stop() {
    if (this.making) this.making.cancelled = true;
  }

  /** A trace can keep every rule and still make no picture; then the reader gets a sentence. */
  async guard(sentence, work) {
    try {
      await work();
    } catch (problem) {
      setText(this.told, say(sentence, { why: problem instanceof Error ? problem.message : String(problem) }));
    }
  }
}
