/**
 * What was measured on this page since it was opened, a line per run: the Lab draws it beside its formulas.
 *
 *   session.add(run)   session.runs   session.heard(f)
 */

const MOST = 60; // runs kept, the newest
const listeners = new Set();

export const session = {
  runs: [],
  add(run) {
    if (!run) return;
    this.runs = [...this.runs.filter((each) => each.id !== run.id), run].slice(-MOST);
    listeners.forEach((listener) => listener());
  },
  heard: (listener) => listeners.add(listener),
};
