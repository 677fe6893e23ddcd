/** Settings of a run as a line that can be read aloud: "draft length 4, width 3". */

import { phrase, say } from "../../shared/words.js";

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

/** Options of a method, by the names of its controls where these are translated. */
export const optionsOf = (method, options) => settingsOf(options, (name) => optionSetting(method, name));

/** Name of a method's option: its own key, or that of several methods. */
export const optionSetting = (method, name) =>
  phrase(`option.${method}.${name}`, phrase(`option.${name}`, settingName(name)));

const settingName = (name) =>
  Object.hasOwn(NAMES, name) ? say(NAMES[name]) : name.replace(/^num_/, "").replace(/_/g, " ");
