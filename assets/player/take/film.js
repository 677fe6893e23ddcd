/**
 * A film of some rounds: their steps are played in the studio at the player's pace, and the browser records the sheets.
 *
 * It is recorded as it plays. A machine that is too slow for every frame leaves some out; the film keeps its time.
 */

import { GLIDE, PAUSE } from "../playback/playhead.js";
import { gifOf } from "./gif.js";
import { imageOf } from "./picture.js";
import { sheetOf, signsOn, STAGE } from "./sheet.js";
import { Studio } from "./studio.js";

export const LONGEST = 60; // seconds
const SIZE = { width: 1280, height: 720 };
const FORMS = {
  WebM: ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"],
  MP4: ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1.42E01F", "video/mp4;codecs=avc1"], // slides play it
};
const FRAMES = 25; // a second
const BITS = 8_000_000; // a second
const HELD = 2; // seconds of the last picture of a GIF, before it begins again

/** The forms in which this browser can record: name and type of each. */
export function filmForms() {
  if (typeof MediaRecorder === "undefined" || !("captureStream" in HTMLCanvasElement.prototype)) return [];
  return Object.entries(FORMS).flatMap(([name, types]) => {
    const type = types.find((each) => MediaRecorder.isTypeSupported(each));
    return type ? [{ name, type }] : [];
  });
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

/** The sheets of a plan, all of one size and with the same signs. */
function sheetsOf(studio, plan) {
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
  return sheet;
}

/**
 * Makes an animated GIF of a plan, a picture a step, which articles and mails show where they show no film.
 *
 * @param {any} player
 * @param {ReturnType<typeof planOf>} plan
 */
export async function animate(player, plan) {
  const studio = new Studio(player, STAGE);
  const canvas = Object.assign(document.createElement("canvas"), {
    width: 0.75 * SIZE.width,
    height: 0.75 * SIZE.height,
  });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  try {
    const sheet = sheetsOf(studio, plan);
    const frames = [];
    for (const { step, begins } of plan.scenes) {
      studio.pose(step);
      pen.drawImage(await imageOf(sheet(step)), 0, 0, canvas.width, canvas.height);
      const ends = plan.scenes[frames.length + 1]?.begins ?? plan.ms + 1000 * HELD;
      frames.push({ pixels: pen.getImageData(0, 0, canvas.width, canvas.height).data, ms: ends - begins });
    }
    return new Blob([gifOf(frames, canvas)], { type: "image/gif" });
  } finally {
    studio.remove();
  }
}

/**
 * Records a plan; gives the film, or null where it was cancelled.
 *
 * @param {any} player
 * @param {ReturnType<typeof planOf>} plan
 * @param {string} type
 * @param {{told: (share: number) => void, cancelled: () => boolean}} reader
 * @returns {Promise<Blob | null>}
 */
export async function record(player, plan, type, { told, cancelled }) {
  const studio = new Studio(player, STAGE);
  const canvas = document.createElement("canvas");
  try {
    const sheet = sheetsOf(studio, plan);
    let image = await imageOf(sheet(plan.before));
    Object.assign(canvas, SIZE);
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.drawImage(image, 0, 0);

    const tape = startTape(canvas, type);
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

/** Records what is drawn on a canvas until it is stopped. @param {any} canvas @param {string} mimeType */
function startTape(canvas, mimeType) {
  const stream = canvas.captureStream(FRAMES);
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: BITS });
  /** @type {Blob[]} */
  const parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  /** @type {Promise<Blob | null>} null where no picture was recorded */
  const ended = new Promise((found, lost) => {
    recorder.addEventListener("stop", async () => {
      const film = new Blob(parts, { type: mimeType.split(";")[0] });
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
