/**
 * A film of some rounds: their steps are played in the studio at the player's pace, and the browser records the sheets.
 *
 * It is recorded as it plays. A machine that is too slow for every frame leaves some out; the film keeps its time.
 */

import { GLIDE, PAUSE } from "../playback/playhead.js";
import { imageOf } from "./picture.js";
import { sheetOf, signsOn, STAGE } from "./sheet.js";
import { Studio } from "./studio.js";

export const LONGEST = 60; // seconds
const SIZE = { width: 1280, height: 720 };
const FORMS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const FRAMES = 25; // a second
const BITS = 8_000_000; // a second

/** The form in which this browser can record, or nothing. */
export function filmForm() {
  if (typeof MediaRecorder === "undefined" || !("captureStream" in HTMLCanvasElement.prototype)) return "";
  return FORMS.find((form) => MediaRecorder.isTypeSupported(form)) || "";
}

/**
 * When each step of these rounds begins.
 * @param {any} trace
 * @param {{from: number, to: number, speed: number}} wish the places of two rounds, from 1
 */
export function planOf(trace, { from, to, speed }) {
  const first = trace.rounds[from - 1].firstStep;
  let ms = 0;
  const scenes = trace.steps.slice(first, trace.rounds[to - 1].lastStep + 1).map((step) => {
    const pause = PAUSE[step.kind] / speed;
    const scene = { step, begins: ms, glide: Math.min(GLIDE, 0.85 * pause) };
    ms += pause;
    return scene;
  });
  return { before: trace.steps[Math.max(0, first - 1)], scenes, ms };
}

/**
 * Records a plan; gives the film, or null where it was cancelled.
 *
 * @param {any} player
 * @param {ReturnType<typeof planOf>} plan
 * @param {{told: (share: number) => void, cancelled: () => boolean}} reader
 * @returns {Promise<Blob | null>}
 */
export async function record(player, plan, { told, cancelled }) {
  const studio = new Studio(player, STAGE);
  const canvas = document.createElement("canvas");
  try {
    const signs = new Set();
    const steps = plan.scenes.map(({ step }) => step);
    for (const step of steps) {
      studio.pose(step);
      for (const sign of signsOn(studio)) signs.add(sign);
    }
    const sheet = (step) => sheetOf(studio, step, { signs, film: steps });
    // What surrounds the stage keeps its size: the stage takes the rest.
    const around = sheet(plan.before).height - studio.room.height;
    studio.resize({ width: STAGE.width, height: SIZE.height - around });
    studio.pose(plan.before);
    let image = await imageOf(sheet(plan.before));
    Object.assign(canvas, SIZE);
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.drawImage(image, 0, 0);

    const tape = startTape(canvas);
    const began = performance.now();
    let scene = null;
    let moves = false;
    for (let now = 0; now < plan.ms && !cancelled(); now = performance.now() - began) {
      const due = plan.scenes.filter(({ begins }) => begins <= now).pop() || plan.scenes[0];
      if (due !== scene) studio.begin(due.step);
      if (due !== scene || moves) {
        const share = due.glide > 0 ? Math.min(1, (now - due.begins) / due.glide) : 1;
        studio.draw(share);
        image = await imageOf(sheet(due.step));
        moves = share < 1;
      }
      scene = due;
      pen.drawImage(image, 0, 0); // also where nothing moves: a frame is taken only of what was drawn
      told(now / plan.ms);
      await new Promise((go) => setTimeout(go, 1000 / FRAMES));
    }
    const film = await tape.stop();
    if (cancelled()) return null;
    if (!film) throw new Error("the browser was too busy to record a frame");
    return film;
  } finally {
    studio.remove();
  }
}

/**
 * Whether a film has a picture: a file that was begun and got none is longer than nothing.
 *
 * @param {Blob} film
 * @returns {Promise<boolean>}
 */
function plays(film) {
  const video = document.createElement("video");
  video.preload = "auto";
  video.src = URL.createObjectURL(film);
  return new Promise((answer) => {
    video.addEventListener("loadeddata", () => answer(true));
    video.addEventListener("error", () => answer(false));
  }).finally(() => URL.revokeObjectURL(video.src));
}

/** Records what is drawn on a canvas until it is stopped. */
function startTape(canvas) {
  const stream = canvas.captureStream(FRAMES);
  const recorder = new MediaRecorder(stream, { mimeType: filmForm(), videoBitsPerSecond: BITS });
  /** @type {Blob[]} */
  const parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  /** @type {Promise<Blob | null>} null where no picture was recorded */
  const ended = new Promise((found, lost) => {
    recorder.addEventListener("stop", async () => {
      const film = new Blob(parts, { type: "video/webm" });
      found((await plays(film)) ? film : null);
    });
    recorder.addEventListener("error", () => lost(new Error("the browser stopped recording")));
  });
  recorder.start();
  return {
    stop: () => {
      if (recorder.state !== "inactive") recorder.stop();
      for (const track of stream.getTracks()) track.stop();
      return ended;
    },
  };
}
