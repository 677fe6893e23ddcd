/**
 * The player on the page: it is given a log of events and draws those that are new.
 *
 * While a run goes on, the value holds the newest events alone, and the chunks of it are numbered from `first`.
 */

import { mount as mountPlayer } from "../player/player.js";
import { handOver } from "../shared/handed.js";
import { follow } from "./panel.js";

const SLOW_S = 0.15; // a page that takes longer for a message says so

/** @param {import("./panel.js").Panel} panel */
export function mount(panel) {
  const { element, trigger, server } = panel;
  const host = element.querySelector(".player-host");
  const player = mountPlayer(host, {
    label: "Player of a speculative decoding run",
    everywhere: true,
    openInLab: (position) => {
      handOver(position);
      trigger("open_in_lab", {});
    },
  });
  host.player = player;
  /** @type {{run: string | null, figures: string | null, ended: boolean}} */
  let shown = { run: null, figures: null, ended: false };
  /** @type {{run: string | null, chunks: number, events: object[]}} all of the run that goes on */
  let live = { run: null, chunks: 0, events: [] };
  let told = 0; // seconds that the server knows a message to take here

  /** How long until what came is drawn, and the page free again. */
  function time(run, began) {
    requestAnimationFrame(() =>
      setTimeout(() => {
        const seconds = (performance.now() - began) / 1000;
        if (Math.max(seconds, told) < SLOW_S || (seconds < 2 * told && told < 2 * seconds)) return;
        told = seconds;
        server.took({ run, seconds }).catch(() => {});
      }),
    );
  }

  /** The events that are new; chunks that were missed come with the last message. */
  function arrived(value) {
    if (value.run !== live.run) live = { run: value.run, chunks: 0, events: [] };
    if (value.first > live.chunks) return [];
    const events = parsed(value.chunks.slice(live.chunks - value.first));
    live.chunks = Math.max(live.chunks, value.first + value.chunks.length);
    live.events.push(...events);
    return events;
  }

  /** Begin to show another run; gives the events of it that are there. */
  function turnTo(value) {
    shown = { run: value.run, figures: null, ended: false };
    if (value.live) {
      told = 0;
      player.begin();
      return live.events;
    }
    const { format, version, autoplay } = value;
    player.load({ format, version, events: parsed(value.chunks) }, { autoplay });
    return [];
  }

  function show(value) {
    const began = performance.now();
    if (!value || !value.run) return;
    let events = value.live ? arrived(value) : [];
    if (value.run !== shown.run) events = turnTo(value);
    if (events.length) player.append(events);
    if (events.length && !value.ended) time(value.run, began);
    if (value.figures && value.figures !== shown.figures) {
      shown.figures = value.figures;
      player.setFigures(JSON.parse(shown.figures || "[]"));
    }
    if (value.error) player.error(value.error);
    if (value.live && value.ended && !shown.ended) {
      shown.ended = true;
      player.finish();
    }
  }

  follow(panel, show);
}

const parsed = (chunks) => chunks.flatMap((chunk) => JSON.parse(chunk));
