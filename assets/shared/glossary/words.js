/** Definitions of the field's words, two sentences each, in the order in which a reader meets them. */

import { learn } from "../words.js";

learn({
  glossary: "Glossary",
});

/** Groups, [key, title, entries], of entries: [key, name, what it means]. @type {[string, string, [string, string, string][]][]} */
export const ENTRIES = [
  [
    "who",
    "Who is at work",
    [
      [
        "token",
        "token",
        "A piece of text, often a word with the space before it. Language models read and write tokens, one after the other.",
      ],
      [
        "target_model",
        "target model",
        "The large model, whose text is wanted. Drafts are verified by its probabilities.",
      ],
      [
        "draft_model",
        "draft model",
        "A small, fast model that writes ahead. What it writes becomes text only if the target model accepts it.",
      ],
      [
        "head",
        "drafting head",
        "A small layer, trained for one target model, that drafts from what that model has just computed of the text. The methods called EAGLE draft so; what it drafts is verified like any draft.",
      ],
      [
        "exit",
        "early exit",
        "The first layers of the target model draft for the whole of it, without a second model. Where an exit was trained, a few weights of its own make a better guess of what these layers have, and the drafter's name says so.",
      ],
      [
        "method",
        "method",
        "A way to draft and to verify. Methods differ in the shape of the draft and in the rule that verifies it.",
      ],
    ],
  ],
  [
    "round",
    "A round",
    [
      [
        "round",
        "round",
        "One draft, and its verification by one call of the target model. Each round adds at least one token to the text.",
      ],
      [
        "draft",
        "draft",
        "The tokens that were written ahead in this round. They may be a chain, several chains, or a tree.",
      ],
      [
        "layer", // as in links; a layer is a transformer layer
        "depth",
        "All tokens drafted equally far behind the text, a layer in some papers: depth 1 comes next, depth 2 after it. A draft of length 4 has depths 1 to 4.",
      ],
      [
        "draft_length",
        "draft length",
        "How many tokens are written ahead, one behind the other. It may be fixed, end behind a token that the draft model doubts, or follow how the last rounds went: the text stays exactly as likely.",
      ],
      [
        "target_call",
        "target call",
        "One pass of the target model, over all drafted tokens at once. Plain decoding needs one such call for every token.",
      ],
      [
        "mask",
        "attention mask",
        "Says which tokens a token may look at in the target call. In a tree it sees only its own path, so that many drafts fit into one call.",
      ],
      [
        "prefill",
        "prefill",
        "Reading the prompt, before the first round. It takes as long with drafts as without, so it is in no time and no count here.",
      ],
    ],
  ],
  [
    "verdict",
    "The verdict",
    [
      [
        "p",
        "p",
        "The probability that the target model gives to a token, after temperature, top-k and top-p. It is what the text shall follow.",
      ],
      ["q", "q", "The probability with which the token was drafted. A draft that was certain has q = 1."],
      [
        "acceptance",
        "acceptance probability",
        "How likely a drafted token is to be kept. For a single draft it is p/q, and 1 where p is above q.",
      ],
      [
        "coin",
        "coin",
        "A random number between 0 and 1. The token is accepted when it falls below the acceptance probability.",
      ],
      [
        "judged",
        "accepted, rejected, not tested",
        "Accepted tokens become text, rejected ones do not. Not tested means that no test was made of the token, mostly because an earlier one was rejected.",
      ],
      [
        "residual",
        "residual",
        "What the rejected drafts leave of p, scaled to 1. A correction is drawn from it, and that makes the text exactly as likely as the target model's own.",
      ],
      [
        "correction",
        "correction token",
        "The token that takes the place of a rejected one. It comes from the same target call, so it costs nothing.",
      ],
      [
        "bonus",
        "bonus token",
        "One token more, when nothing on the path was rejected. The target call has its probabilities already.",
      ],
      [
        "overlap",
        "overlap",
        "The sum, over all tokens, of the smaller of p and q. It is the exact chance that a single draft is accepted here.",
      ],
      [
        "joint",
        "joint q",
        "The draft probability of the whole path down to a token: the product of the q's on it. Trees spend their tokens where it is large.",
      ],
      [
        "lossless",
        "lossless, lossy",
        "Lossless: the text has exactly the probabilities that the target model alone would give it. Lossy methods trade some of that for speed.",
      ],
      [
        "branch",
        "branch",
        "A run made again with one change: what if this verdict had been another? All coins that the change does not touch stay the same.",
      ],
    ],
  ],
  [
    "counted",
    "What is counted",
    [
      [
        "block_efficiency",
        "tokens per target call",
        "Emitted tokens / target calls, with the correction or bonus; papers say block efficiency. Plain decoding has 1.",
      ],
      [
        "acceptance_rate",
        "acceptance per position, per draw",
        "Per position: where one of the drafts was accepted / where any was tested. Per draw: accepted / tested drafts, which is lower where a position has several.",
      ],
      [
        "draft_efficiency",
        "draft efficiency",
        "Accepted / all drafted tokens. Those that were never tested count as drafted: they cost time, too.",
      ],
      [
        "speed_up",
        "speed-up",
        "Tokens per second over those of plain decoding, of beams over plain beams. Below 1 the drafts cost more than they save.",
      ],
      [
        "perplexity",
        "perplexity",
        "How surprising the target model finds the text: 1 is not at all. Low is not always good, as a text that repeats itself is hardly surprising.",
      ],
      [
        "energy",
        "energy",
        "Measured where the machine has a counter that may be read, else blank. An estimate from the work of the models stands apart, and says that it is one.",
      ],
    ],
  ],
  [
    "several",
    "Several texts",
    [
      [
        "beam",
        "beam",
        "One of several texts that grow side by side. After each token the best ones, or those that were drawn, go on.",
      ],
      [
        "width",
        "width",
        "How many texts or drafts stand side by side at a depth. Wider finds more, and costs more in each call.",
      ],
    ],
  ],
  [
    "settings",
    "Settings",
    [
      [
        "temperature",
        "temperature",
        "Above 0 the next token is drawn by chance, and the more evenly the higher it is. At 0 it is always the most likely one.",
      ],
      [
        "top",
        "top-k, top-p",
        "Only the k most likely tokens may be drawn, or the fewest that together reach the probability p. Both models are cut alike.",
      ],
      [
        "seed",
        "seed",
        "The number that all chance comes from. The same seed gives the same tokens on the same machine.",
      ],
    ],
  ],
];

// Words like all others, so that the table of another language may hold them: words_who, word_token, means_token.
for (const [group, title, entries] of ENTRIES) {
  learn({ ["words_" + group]: title });
  for (const [key, name, what] of entries) learn({ ["word_" + key]: name, ["means_" + key]: what });
}
