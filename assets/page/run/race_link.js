/** The race of a run against plain decoding, as a link: its prompt, seed, sampling, method and options. */

export const RACE_NOW = "race-now"; // in the session's storage: the page presses Race once the link has filled it in

const REPEATS = 5;
const OF_MODELS = ["pair", "target", "draft"]; // of the link that makes the run again

/**
 * @param {any} run its `run_started`
 * @param {string} [setup] query of the link that makes it again, where there is one
 */
export function raceLink({ method, options, prompt, seed, max_new_tokens: tokens, sampling }, setup = "") {
  const again = new URLSearchParams(setup);
  const drafter = again.get("drafter");
  const entry = [
    method,
    ...Object.entries(options).map(([name, value]) => `${name}=${value}`),
    ...(drafter ? [`drafter=${drafter}`] : []),
  ].join(":");
  const query = new URLSearchParams({ tab: "compare", methods: entry, source: "one", prompt });
  const { temperature, top_k, top_p } = sampling;
  for (const [name, value] of Object.entries({ seed, tokens, temperature, top_k, top_p, repeats: REPEATS }))
    query.set(name, String(value));
  for (const name of OF_MODELS) if (again.has(name)) query.set(name, again.get(name) ?? "");
  return "?" + query;
}
