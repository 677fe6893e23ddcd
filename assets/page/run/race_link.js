/** The race of a run against plain decoding, as a link: its prompt, seed, sampling, method and options. */

export const RACE_NOW = "race-now"; // in the session's storage: the page presses Race once the link has filled it in

const REPEATS = 5;
const OF_MODELS = ["pair", "target", "draft"]; // of the link that makes the run again
const SAMPLED = ["temperature", "top_k", "top_p"];

/**
 * Whether a race has all that decides the run's tokens: it takes no penalties, and nothing that confines the text.
 * @param {any} run its `run_started`
 */
export const canRace = ({ sampling, grammar, stop_strings: stops, num_allowed: allowed }) =>
  !grammar && !stops?.length && !allowed && Object.keys(sampling).every((name) => SAMPLED.includes(name));

/**
 * @param {any} run its `run_started`
 * @param {string} [setup] query of the link that makes it again, where there is one
 */
export function raceLink({ method, options, prompt, message, seed, max_new_tokens: tokens, sampling }, setup = "") {
  const again = new URLSearchParams(setup);
  const drafter = again.get("drafter");
  const entry = [
    method,
    ...Object.entries(options).map(([name, value]) => `${name}=${value}`),
    ...(drafter ? [`drafter=${drafter}`] : []),
  ].join(":");
  const query = new URLSearchParams({ tab: "compare", methods: entry, source: "one", prompt: message || prompt });
  if (message) query.set("chat", "1"); // the prompt of such a run is the turn that the template made of it
  const sampled = SAMPLED.map((name) => [name, sampling[name]]);
  for (const [name, value] of [["seed", seed], ["tokens", tokens], ...sampled, ["repeats", REPEATS]])
    query.set(name, String(value));
  for (const name of OF_MODELS) if (again.has(name)) query.set(name, again.get(name) ?? "");
  return "?" + query;
}
