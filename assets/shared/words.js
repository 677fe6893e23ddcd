/**
 * The words of the page by key, and `say`, which finds them.
 *
 * The English is a table of each folder in languages/en.json; where the page has another language, its table replaces
 * entries. What is named in the code of a method or in a file of the server, such as an option or a recorded run, is a
 * `phrase`: by a key too, and in English where the language has none.
 */

import tables from "../languages/en.json" with { type: "json" };
import { ENGLISH, language, table } from "../languages/language.js";

const translated = await table();

/** Sentences by key; places in braces are filled by `say`. Lists are tables of keys: [[keys, what they do]].
 *  @type {Record<string, any>} */
export const words = Object.assign({}, ...Object.values(tables), translated);

const english = Object.assign({}, ...Object.values(tables));
let drawsEnglish = false;

/**
 * Draw what stands in an element: in English where that part of the page is English in every language.
 *
 * @template T
 * @param {Element} element
 * @param {() => T} draw
 */
export function inItsLanguage(element, draw) {
  const before = drawsEnglish;
  drawsEnglish = Boolean(element.closest?.(ENGLISH));
  try {
    return draw();
  } finally {
    drawsEnglish = before;
  }
}

/**
 * A sentence with its places filled; an unknown key shows itself, so that a gap is seen.
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export function say(key, values) {
  const sentence = (drawsEnglish ? english : words)[key];
  if (typeof sentence !== "string") return key;
  return filled(sentence, values);
}

/**
 * Words that are in the file of what they name: the language's own by this key, or else the English.
 *
 * @param {string} key such as `method.rsd_s` or `option.rsd_s.width.help`
 * @param {string} inEnglish
 * @param {Record<string, any>} [values] of its places
 * @returns {string}
 */
export function phrase(key, inEnglish, values) {
  return isTranslated(key) ? filled(translated[key], values) : inEnglish;
}

/** @param {string} key */
const isTranslated = (key) => !drawsEnglish && Object.hasOwn(translated, key);

/**
 * What the server sent, each word in it, {word, values, english}, and each list of many, {phrases, rows}, in the
 * reader's language.
 *
 * @param {any} value
 * @returns {any}
 */
export function worded(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(worded);
  if (typeof value.word === "string" && typeof value.english === "string") return wordOf(value);
  if (Array.isArray(value.phrases) && Array.isArray(value.rows)) return wordsOf(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, worded(each)]));
}

// the separators of these languages
/** @type {Record<string, string>} */
const BETWEEN = ["ja", "zh"].includes(language) ? { " ": "", ", ": "、", "; ": "；" } : {};

/**
 * A word of the server; without a key its one value is how it is composed, with its parts.
 * @param {{word: string, values: Record<string, any>, english: string}} sent
 */
function wordOf({ word, values, english: text }) {
  if (language === "en" || drawsEnglish) return text;
  if (word) return phrase(word, text, worded(values));
  const [[kind, parts]] = Object.entries(worded(values));
  if (kind === "list") return new Intl.ListFormat(language).format(parts);
  if (kind === "day") return new Date(parts).toLocaleDateString(language, { dateStyle: "long", timeZone: "UTC" });
  if (kind === "within")
    return language === "de"
      ? parts
      : parts.replace(/^.(?=\S)/, (/** @type {string} */ letter) => letter.toLowerCase());
  return parts.join(BETWEEN[kind] ?? kind);
}

/**
 * Many words of the server, each phrase sent once: [key, English, names of its places].
 * @param {{phrases: string[][], rows: any[][]}} sent
 */
function wordsOf({ phrases, rows }) {
  return rows.map(([index, ...values]) => {
    const [key, text, ...names] = phrases[index];
    const valueOf = Object.fromEntries(names.map((name, i) => [name, worded(values[i])]));
    return filled(phrase(key, text), valueOf);
  });
}

/**
 * Attributes of an element that holds the phrase of this key: English amid another language is marked as English.
 * @param {string} key
 */
export function languageOf(key) {
  return language === "en" || isTranslated(key) ? {} : { lang: "en" };
}

/** Name of a method's option, with its unit. @param {{key: string, label: string, unit: string}} option */
export function optionName({ key, label, unit }) {
  const name = phrase(`option.${key}`, label);
  return unit ? say("option_unit", { name, unit: phrase(`unit.${unit}`, unit) }) : name;
}

/** @param {string} sentence @param {Record<string, any>} [values] @returns {string} */
const filled = (sentence, values) =>
  sentence.replace(/\{(\w+)\}/g, (place, name) => (values && name in values ? String(values[name]) : place));
