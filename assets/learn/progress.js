/** A reader's progress, stored in this browser alone: the pages read and the answers given. */

const KEY = "lessons";

/** The last page and the answers. @typedef {{page: number, answers: Record<string, number>}} Read */

/** @returns {Record<string, Read>} */
function all() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) || "{}");
    return stored && typeof stored === "object" ? stored : {};
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
  const progress = { ...all(), [id]: { page: Math.max(page, known.page), answers: { ...known.answers, ...answers } } };
  try {
    localStorage.setItem(KEY, JSON.stringify(progress));
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
