/** The lessons on the page: runs come from its own files, and the address says which page is open. */

import { mount as mountLessons } from "../../learn/learn.js";
import { setUp } from "../tabs.js";

/**
 * @param {import("../panel.js").Panel} panel
 * @param {{traces: string}} settings where the recorded runs lie
 */
export function mount({ element }, { traces }) {
  const host = element.querySelector(".learn-host");
  const lessonQuery = () => {
    const query = new URLSearchParams(window.location.search);
    return query.get("tab") === "learn" ? query : null;
  };

  const lessons = mountLessons(host, {
    live: true,
    async read(name) {
      const answer = await fetch(`${traces}/${name}.json.gz`);
      if (!answer.ok || !answer.body) throw new Error(answer.statusText || String(answer.status));
      return new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).json();
    },
    turned(place) {
      setUp("learn", "?" + new URLSearchParams({ tab: "learn", ...place }));
    },
  });
  lessons.open(lessonQuery() ?? new URLSearchParams());
  window.addEventListener("popstate", () => {
    const query = lessonQuery();
    if (query) lessons.open(query);
  });
}
