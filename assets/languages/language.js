/**
 * The language of the page: what the address says, else what the reader chose; else, where it opens on the lessons,
 * what the browser prefers. Elsewhere much is English in every language yet, and nobody should meet two at once
 * unasked.
 *
 * The tables are next to this, one file each, and only that of the chosen language is read, over the English one; what
 * it lacks stays English. A page in one file has the table of the language it was saved in, or none.
 */

/** Each in its own name. @type {Record<string, string>} */
export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français", ja: "日本語", zh: "中文" };

/** The parts of the page that are English in every language: whole ones, so that nobody reads half of each. */
export const ENGLISH = "#tab-lab, #tab-recommend, #tab-compare-sweep";

const KEY = "language";

/** True on a page in one file, which has no tables next to it. */
export const alone = !/^(https?|file):/.test(import.meta.url);

/** The table that it brings along. */
const brought = typeof document === "undefined" ? null : document.getElementById("language-table");

/** @returns {string} */
function chosenLanguage() {
  if (typeof document === "undefined") return "en";
  if (alone) return brought?.lang || "en";
  const { search, hash, pathname } = window.location;
  const query = new URLSearchParams(search);
  const fromAddress = query.get(KEY) || new URLSearchParams(hash.slice(1)).get(KEY);
  const isLearning = query.get("tab") === "learn" || pathname.endsWith("/learn.html");
  return (
    [fromAddress, remembered(), ...((isLearning && navigator.languages) || [])]
      .map((code) => String(code).slice(0, 2).toLowerCase())
      .find((code) => Object.hasOwn(LANGUAGES, code)) || "en"
  );
}

function remembered() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser that keeps nothing, or a frame that may not
  }
}

/** The chosen one. */
export const language = chosenLanguage();

/** The table of it, empty for English. @returns {Promise<Record<string, any>>} */
export async function table() {
  if (language === "en") return {};
  if (brought) return JSON.parse(brought.textContent || "{}");
  try {
    const answer = await fetch(new URL(`${language}.json`, import.meta.url));
    return answer.ok ? await answer.json() : {};
  } catch {
    return {}; // English it is
  }
}

/** The address with the language of the present page, which nothing else may remember. @param {string} address */
export function spoken(address) {
  const fromAddress = new URLSearchParams(window.location.search).get(KEY);
  if (!fromAddress) return address;
  const here = new URL(address);
  here.searchParams.set(KEY, fromAddress);
  return here.href;
}

/** Set the reader's language and reload the page. @param {string} code */
export function choose(code) {
  try {
    localStorage.setItem(KEY, code);
  } catch {
    // then the address must do
  }
  const address = new URL(window.location.href);
  const inside = new URLSearchParams(address.hash.slice(1));
  for (const query of [address.searchParams, inside]) query.delete(KEY);
  if (remembered() !== code) address.searchParams.set(KEY, code);
  address.hash = inside.toString();
  window.history.replaceState(null, "", address);
  window.location.reload();
}
