/** What this browser remembers of a reader: the pages read and the answers given. Nothing leaves it. */

const KEY = "lessons";

/** @typedef {{page: number, answers: Record<string, number>}} Read how far, in pages; and places of answers, by page */

/** @returns {Record<string, Read>} */
function all() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || "{}");
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {}; // no storage, or not ours
  }
}

/** @param {string} id @returns {Read} */
export function readOf(id) {
  const { page, answers } = all()[id] || { page: 0, answers: {} };
  return { page: Number.isInteger(page) ? page : 0, answers: answers && typeof answers === "object" ? answers : {} };
}

/** @param {string} id @param {number} page @param {Record<string, number>} [answers] */
export function keep(id, page, answers = {}) {
  const known = readOf(id);
  const kept = { ...all(), [id]: { page: Math.max(page, known.page), answers: { ...known.answers, ...answers } } };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // a browser that keeps nothing can read all the same
  }
}

export function forget() {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // there was nothing
  }
}
