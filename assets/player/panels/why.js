/**
 * "Why not faster here?": two sentences and the charts behind them, in the player's look.
 *
 *   const why = explain(host); why.show({verdict, advice, facts, charts}); why.clear()
 */

import { Charts } from "../../shared/plots/charts.js";
import { element, empty, setText } from "../../shared/elements.js";

export function explain(host) {
  const charts = new Charts();
  const verdict = element("p", "sp-why-verdict");
  const advice = element("p", "sp-quiet");
  const facts = element("dl", "sp-why-facts");
  const root = element("div", "spec-player sp-why", null, { hidden: "" }, [verdict, advice, facts, charts.root]);
  host.appendChild(root);
  return {
    show(found) {
      root.hidden = false;
      setText(verdict, found.verdict || "");
      setText(advice, found.advice || "");
      empty(facts);
      for (const [name, value] of found.facts || [])
        facts.append(element("div", "", [element("dt", "", name), element("dd", "", value)]));
      charts.set(found.charts || []);
    },
    clear() {
      root.hidden = true;
      charts.set([]);
    },
  };
}
