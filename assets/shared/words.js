/**
 * The words of the page: one table that every part adds its own to, and `say`, which finds them all.
 *
 * Where the page speaks another language, its table replaces entries of `words`, and is here before any part is. Here
 * stand the words that several parts show.
 */

import { table } from "../languages/language.js";

const translated = await table();

/** Sentences by key; places in braces are filled by `say`. Lists are tables of keys: [[keys, what they do]].
 *  @type {Record<string, any>} */
export const words = {};

learn({
  charts_label: "Charts",
  chart_table: "table",
  table_sort: "Sort by {title}",
  kind_measured: "measured",
  kind_counted: "counted",
  kind_computed: "computed",
  kind_estimate: "estimate",
  text_label: "Text so far",
  controls_label: "Playback",
  play: "Play",
  pause: "Pause",
  restart: "Restart",
  to_end: "To the end",
  help: "Keys",
  help_title: "Keyboard",
  close: "Close",
});

/** The words of another part. */
export function learn(more) {
  Object.assign(words, more);
  for (const key in more) if (Object.hasOwn(translated, key)) words[key] = translated[key];
}

/** A sentence with its places filled; an unknown key shows itself, so that a gap is seen. */
export function say(key, values) {
  const sentence = words[key];
  if (typeof sentence !== "string") return key;
  return sentence.replace(/\{(\w+)\}/g, (place, name) => (values && name in values ? String(values[name]) : place));
}
