/**
 * The sheet that is taken away: what happens, the stage, and below it the caption, the signs and what to cite.
 *
 * One SVG that holds all it needs. Every text in it is a text node; what is on the stage comes through paint.js.
 */

import { legible, svg, textWidth, visible } from "../../shared/elements.js";
import { magnitude } from "../../shared/numbers.js";
import { say } from "../../shared/words.js";
import { headingOf } from "../panels/caption.js";
import { tellStep } from "../panels/narration.js";
import { askedIn } from "../panels/text.js";
import { optionsOf, settingsOf } from "../trace/settings.js";
import { PAPERS } from "./papers.js";

const PAD = 28; // px around everything
const WIDTH = 1280;
const MARGIN = 26; // px around the tree in a picture
const LOWEST = 130; // px of a stage
const LARGEST = 1.7; // scale of a small tree, as on the stage
const FADE = 44; // px at the left of a film's stage, where the text goes on
const HEAD = { size: 17, line: 26 };
const BODY = { size: 15, line: 23 };
const SMALL = { size: 14, line: 28 };
const SLACK = 1.05; // another program's letters may be wider
const PROMPT = 80; // letters shown
const NAME = 60; // letters of a name that a trace may give itself
const LINK = 400; // letters of a link that is written out
const PART = 60; // letters of it that stay on one line

/** @typedef {{text: string, weight?: number, quiet?: boolean}} Run some words of one look */

export const STAGE = { width: WIDTH - 2 * PAD, height: 430 };

/** The signs of the legend that are on the studio's stage now. */
export function signsOn({ tree }) {
  const has = (selector) => tree.nodeLayer.querySelector(selector) !== null;
  const states = ["pending", "accepted", "rejected", "not_tested", "correction", "bonus", "plain"].filter((state) =>
    has(`.sp-node.sp-is-${state}:not(.sp-trunk)`),
  );
  const others = {
    p: ".sp-bar-p:not([width='0'])",
    q: ".sp-bar-q",
    edge: ".sp-bar-q",
    multiplicity: ".sp-times",
    rank: ".sp-rank",
    tuft: ".sp-tuft",
    space: ".sp-mark",
  };
  return new Set([...states, ...Object.keys(others).filter((name) => has(others[name]))]);
}

/**
 * A sheet of the step in the studio.
 *
 * @param {any} studio
 * @param {any} step
 * @param {{signs: Set<string>, film?: any[], ratio?: string, link?: string | null}} how `film` are the steps of a film,
 *   whose sheets have one size; a picture is cut to its tree. `ratio` is what is said beside plain decoding at the step,
 *   `link` leads to it
 */
export function sheetOf(studio, step, { signs, film, ratio = "", link = null }) {
  const { trace } = studio.player;
  const { tree, paint } = studio;
  const colours = studio.colours();
  const stage = film ? framed(tree, studio.room) : cut(tree);
  const width = Math.max(WIDTH, stage.width + 2 * PAD);
  const inner = width - 2 * PAD;
  const root = svg("svg", "", null, { "font-family": "sans-serif", role: "img" });
  // or some leave out the space between two looks
  root.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:space", "preserve");
  root.appendChild(svg("title", "", `${named(trace.run.title)}: ${headingOf(trace, step, false)}`));
  const ground = root.appendChild(svg("rect", "", null, { width, fill: colours.page.colour }));
  let y = PAD - 8;

  const write = (runs, { size, line }, least = 0) => {
    const lines = wrapped(runs, inner, size);
    for (const each of lines) {
      y += line;
      const spans = each.map(({ text, weight = 400, quiet }) =>
        svg("tspan", "", text, { "font-weight": weight, ...ink(quiet ? colours.quiet : colours.ink) }),
      );
      root.appendChild(svg("text", "", null, { x: PAD, y: y - 0.3 * line, "font-size": size }, spans));
    }
    y += line * Math.max(0, least - lines.length);
  };

  const most = (runs, size) =>
    Math.max(0, ...(film || []).map((each) => wrapped(runs(trace, each), inner, size).length));
  write(headOf(trace, step), HEAD, most(headOf, HEAD.size));
  y += 8;
  const box = { x: PAD, y, width: inner, height: stage.height };
  root.appendChild(svg("rect", "", null, { ...box, rx: 14, fill: colours.ground.colour }));
  const window = root.appendChild(
    svg("svg", "", null, { ...box, viewBox: `0 0 ${inner} ${stage.height}`, overflow: "hidden" }),
  );
  const left = film ? stage.x : stage.x + (inner - stage.width) / 2;
  const world = svg("g", "", null, {
    transform: `translate(${left.toFixed(1)} ${stage.y.toFixed(1)}) scale(${stage.scale.toFixed(3)})`,
  });
  for (const layer of [tree.edgeLayer, tree.nodeLayer]) world.append(paint.plain(layer) ?? "");
  window.appendChild(world);
  if (film && !tree.root.classList.contains("sp-braided"))
    window.append(...fading(colours.ground.colour, stage.height));
  y += stage.height + 12;

  write([...captionOf(trace, step), { text: " " + ratio, weight: 600 }], BODY, most(captionOf, BODY.size));
  y = legendIn(root, studio, signs, colours, inner, y + 4);
  y += 2;
  write([{ text: citation(trace.run), quiet: true }], SMALL);
  if (link && link.length <= LINK) write(partsOf(link), SMALL);
  const height = 2 * Math.ceil((y + PAD - 12) / 2); // even, as films want it
  ground.setAttribute("height", String(height));
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.setAttribute("width", String(width));
  root.setAttribute("height", String(height));
  return { text: written(root), width, height };
}

/** A link that can break anywhere. @returns {Run[]} */
const partsOf = (/** @type {string} */ link) =>
  (link.match(new RegExp(`.{1,${PART}}`, "g")) ?? []).map((text) => ({ text, quiet: true }));

/** As a file: letters that XML cannot hold are replaced. */
function written(root) {
  return new XMLSerializer()
    .serializeToString(root)
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\ufffd");
}

const ink = ({ colour, alpha }) => (alpha < 1 ? { fill: colour, "fill-opacity": alpha } : { fill: colour });

// -- the stage -------------------------------------------------------------------------------------------------

/** As the camera sees it. */
function framed(tree, { width, height }) {
  return { width, height, ...tree.camera.thing.at };
}

/** All that is on it, with a margin, wherever the camera looks: as large as it fits, and never with smaller letters. */
function cut(tree) {
  const { x, y, width, height } = tree.world.getBBox();
  const most = Math.min(LARGEST, (STAGE.width - 2 * MARGIN) / width, (STAGE.height - 2 * MARGIN) / height);
  const scale = Math.max(1, most);
  const tall = Math.ceil(Math.max(LOWEST, scale * height + 2 * MARGIN));
  return {
    width: Math.ceil(scale * width + 2 * MARGIN),
    height: tall,
    x: MARGIN - scale * x,
    y: (tall - scale * height) / 2 - scale * y,
    scale,
  };
}

function fading(colour, height) {
  const stops = [
    svg("stop", "", null, { offset: 0, "stop-color": colour }),
    svg("stop", "", null, { offset: 1, "stop-color": colour, "stop-opacity": 0 }),
  ];
  const fill = svg("linearGradient", "", null, { id: "fade" }, stops);
  return [svg("defs", "", [fill]), svg("rect", "", null, { width: FADE, height, fill: "url(#fade)" })];
}

// -- what is said ----------------------------------------------------------------------------------------------

/** @returns {Run[]} */
const headOf = (trace, step) => [
  { text: headingOf(trace, step, false), weight: 600 },
  { text: "\u2002" + tellStep(trace, step), quiet: true },
];

/** @returns {Run[]} */
function captionOf(trace, step) {
  const { run } = trace;
  const { temperature } = run.sampling;
  const sampling = settingsOf({ ...(temperature === undefined ? {} : { temperature }), seed: run.seed });
  const settings = [optionsOf(run.method, run.options), sampling].filter(Boolean).join(", ");
  const model = (facts) => say("take_model", { name: named(facts.name), parameters: magnitude(facts.parameters) });
  const pair = run.draft
    ? say("take_pair", { target: model(run.target), draft: model(run.draft) })
    : say("take_alone", { target: model(run.target) });
  const prompt =
    "“" +
    plainly(
      askedIn(run)
        .slice(0, 4 * PROMPT)
        .replace(/\s+/g, " ")
        .trim(),
      PROMPT,
    ) +
    "”";
  const count = say("take_step", {
    step: step.index + 1,
    steps: trace.steps.length,
    tokens: step.totals.tokens,
    calls: step.totals.target_calls,
  });
  return [
    {
      text: say("take_run", { title: named(run.title), settings: plainly(settings, 2 * NAME) }),
      weight: 600,
    },
    { text: ` ${pair} ${say("take_prompt", { prompt })} ${count}` },
  ];
}

/** Citation: the method's paper, where it has one, and the playground that made the run. */
function citation(run) {
  const version = typeof run.versions?.playground === "string" ? named(run.versions.playground) : "";
  const playground = say("take_playground", { version }).trim();
  const paper = Object.hasOwn(PAPERS, run.method) ? PAPERS[run.method] : null;
  return paper ? say("take_cite", { paper, playground }) : say("take_cite_playground", { playground });
}

/** At most this many letters of what a trace says, on one line; spaces need no mark in a sentence. */
function plainly(text, letters) {
  const all = Array.from(legible(text));
  return all.length > letters
    ? all
        .slice(0, letters - 1)
        .join("")
        .trimEnd() + "…"
    : all.join("");
}

const named = (text) => visible(String(text).slice(0, 4 * NAME), NAME).replace(/·/g, " ");

// -- lines -----------------------------------------------------------------------------------------------------

/**
 * Break words into lines of a width.
 * @param {Run[]} runs
 * @returns {Run[][]}
 */
function wrapped(runs, width, size) {
  /** @type {Run[][]} */
  const lines = [[]];
  let used = 0;
  for (const { text, ...look } of runs)
    for (const word of text.match(/\s*\S+/g) || []) {
      const available = SLACK * textWidth(word, `${look.weight || 400} ${size}px sans-serif`);
      const isFirst = used > 0 && used + available > width;
      if (isFirst) lines.push([]);
      used = isFirst ? available : used + available;
      const line = lines[lines.length - 1];
      const last = line[line.length - 1];
      const shown = line.length ? word : word.trimStart();
      if (last && last.weight === look.weight && last.quiet === look.quiet) last.text += shown;
      else line.push({ text: shown, ...look });
    }
  return lines;
}

/** The legend of these signs, in rows; gives where it ends. */
function legendIn(root, studio, signs, colours, width, y) {
  let x = 0;
  y += SMALL.line;
  for (const row of studio.legend.children) {
    const name = row.dataset.sign;
    if (!signs.has(name)) continue;
    const [sign, words] = row.children;
    const text = name === "tuft" ? say("take_tuft") : words.textContent;
    const drawn = sign.localName === "svg";
    const wide = drawn
      ? Number(sign.getAttribute("width"))
      : SLACK * textWidth(sign.textContent, `600 ${SMALL.size}px sans-serif`);
    const available = wide + 7 + SLACK * textWidth(text, `${SMALL.size}px sans-serif`);
    if (x > 0 && x + available > width) {
      x = 0;
      y += SMALL.line;
    }
    const tall = drawn ? Number(sign.getAttribute("height")) : 0;
    if (drawn) {
      const own = {
        x: PAD + x,
        y: y - SMALL.line / 2 - tall / 2,
        width: wide,
        height: tall,
        viewBox: sign.getAttribute("viewBox"),
      };
      root.appendChild(
        svg(
          "svg",
          "",
          null,
          own,
          Array.from(sign.children, (part) => studio.paint.plain(part, "legend")).filter((part) => part !== null),
        ),
      );
    } else
      root.appendChild(
        svg("text", "", sign.textContent, {
          x: PAD + x,
          y: y - SMALL.line / 2 + 5,
          "font-size": SMALL.size,
          "font-weight": 600,
          ...ink(colours.ink),
        }),
      );
    root.appendChild(
      svg("text", "", text, {
        x: PAD + x + wide + 7,
        y: y - SMALL.line / 2 + 5,
        "font-size": SMALL.size,
        ...ink(colours.quiet),
      }),
    );
    x += available + 20;
  }
  return y;
}
