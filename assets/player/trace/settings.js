/** Settings of a run as a line that can be read aloud: "draft length 4, beam width 3". */

import { phrase, say } from "../../shared/words.js";
import labels from "./option_labels.json" with { type: "json" };

/** @type {Record<string, string>} */
const LABELS = labels;
/** @type {Record<string, string>} */
const NAMES = {
  temperature: "setting_temperature",
  seed: "setting_seed",
  processor: "setting_processor",
  threads: "setting_threads",
  products: "setting_products",
};

/**
 * A line of names and values. The name "num_drafts" says "drafts".
 * @param {Record<string, any> | null} [table]
 * @param {(name: string) => string} [nameOf]
 */
export const settingsOf = (table, nameOf = settingName) =>
  Object.entries(table || {})
    .filter(([, value]) => value !== null && value !== "" && typeof value !== "object")
    .map(([name, value]) => `${nameOf(name)} ${value}`)
    .join(", ");

/** Options of a method, by the labels of its controls. @param {string} method @param {Record<string, any>} options */
export const optionsOf = (method, options) => settingsOf(options, (name) => optionSetting(method, name));

/**
 * Label of a method's option by its own key, or by that of several methods; an unknown option has its name.
 * @param {string} method
 * @param {string} name
 */
export function optionSetting(method, name) {
  const label = LABELS[`${method}.${name}`] ?? LABELS[name] ?? settingName(name);
  const english = label.replace(/^.(?=\S)/, (letter) => letter.toLowerCase());
  return phrase(`option.${method}.${name}`, phrase(`option.${name}`, english));
}

/** @param {string} name */
const settingName = (name) =>
  Object.hasOwn(NAMES, name) ? say(NAMES[name]) : name.replace(/^num_/, "").replace(/_/g, " ");
