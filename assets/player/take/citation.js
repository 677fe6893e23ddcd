/** BibTeX entries: of the paper of a run's method and of this project, or of the papers of all methods. */

import { element, pressButton, setText } from "../../shared/elements.js";
import { say } from "../../shared/words.js";
import { PAPERS } from "./papers.js";

const CITED =
  /^(?:(?<authors>[^,]+?) (?<year>\d{4}), )?(?<title>.+), (?<address>arXiv (?<eprint>\d{4}\.\d{4,5})|\S+\/\S+)$/;

/** Papers of all methods, each once. */
const ALL = [...new Set(Object.values(PAPERS))];

/** A paper as its method's file names it: "Sun et al. 2023, SpecTr, arXiv 2310.15141". @param {string} paper */
export function entryOf(paper) {
  const { authors, year, title, eprint } = paper.match(CITED)?.groups ?? {};
  const [first, word] = [authors, title].map((text) => text?.match(/\p{L}+/u)?.[0] ?? "");
  const key = authors ? first + year + word : title.replace(/[^\p{L}\d]/gu, "");
  const fields = {
    title: `{${title}}`,
    author: authors?.replace(/ et al\.$/, " and others"),
    year,
    ...(eprint ? { eprint, archivePrefix: "arXiv" } : {}),
    url: addressOf(paper),
  };
  return written("misc", key.toLowerCase(), fields);
}

/** @param {string} paper */
function addressOf(paper) {
  const { address, eprint } = paper.match(CITED)?.groups ?? {};
  return secure(eprint ? `arxiv.org/abs/${eprint}` : address);
}

/** Written in parts, as a script of a page names no address that it could ask. @param {string} address */
const secure = (address) => ["https:", "", address].join("/");

/** This project. @param {string | undefined} version that made the run */
export const projectEntry = (version) =>
  written("software", "speculative_decoding_playground", {
    title: "{Speculative Decoding Playground}",
    author: "{The speculative decoding playground's authors}",
    year: "2026",
    version,
  });

function written(kind, key, fields) {
  const lines = Object.entries(fields).flatMap(([name, value]) => (value ? [`  ${name} = {${value}}`] : []));
  return `@${kind}{${key},\n${lines.join(",\n")}\n}`;
}

export class Citation {
  constructor() {
    this.status = element("p", "sp-quiet", null, { role: "status" });
    this.text = element("pre", "sp-bibtex", "", { tabindex: 0, lang: "en" });
    this.paper = element("a", "sp-paper", null, { target: "_blank", rel: "noopener", lang: "en" });
    const all = say("cite_copy_all", { count: ALL.length });
    this.root = element("section", "sp-citation", null, { hidden: "" }, [
      element("h3", "sp-panel-title", say("cite_title")),
      this.paper,
      this.text,
      element("div", "sp-cite-buttons", [
        button(say("cite_copy"), () => this.copy(this.own)),
        button(all, () => this.copy([...ALL.map(entryOf), projectEntry(this.version)])),
      ]),
      this.status,
    ]);
    /** @type {string[]} entries of the run */
    this.own = [];
    /** @type {string | undefined} */
    this.version = undefined;
  }

  /** @param {any} run the run's first event, or null */
  show(run) {
    this.root.hidden = !run;
    if (!run) return;
    const paper = Object.hasOwn(PAPERS, run.method) ? PAPERS[run.method] : null;
    this.paper.hidden = !paper;
    if (paper) Object.assign(this.paper, { href: addressOf(paper), textContent: paper });
    this.version = typeof run.versions?.playground === "string" ? run.versions.playground : undefined;
    this.own = [...(paper ? [entryOf(paper)] : []), projectEntry(this.version)];
    setText(this.text, this.own.join("\n\n"));
    setText(this.status, "");
  }

  /** @param {string[]} entries */
  copy(entries) {
    const text = entries.join("\n\n") + "\n";
    const byHand = () => {
      setText(this.text, text);
      setText(this.status, say("cite_by_hand"));
    };
    if (!navigator.clipboard) return byHand();
    return navigator.clipboard
      .writeText(text)
      .then(
        () =>
          setText(
            this.status,
            say(entries.length === 1 ? "cite_copied_one" : "cite_copied", { count: entries.length }),
          ),
        byHand,
      );
  }
}

function button(name, press) {
  return pressButton("sp-cite", name, press);
}
