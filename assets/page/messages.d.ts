// Messages of the page, made by `python -m tests.contract` from playground/ui/contract: do not edit.

/** Any message of the page */
export type FromPage =
  | Question
  /** A link asks for a recorded run */
  | { type: "open_run"; run: string }
  /** A change in the run on the stage, from which a branch is made: a verdict, a token or options */
  | {
      type: "what_if";
      round: number;
      node?: number | null;
      token?: number | null;
      outcome?: "accepted" | "rejected" | null;
      options?: Record<string, any>;
    }
  /** The player has something to say of a link */
  | { type: "link_noted" }
  /** Another run is on the stage than the one that is explained */
  | { type: "turned" }
  /** A method was chosen in the menu */
  | { type: "chosen"; method: string }
  /** A tab was opened that shows nothing yet */
  | { type: "open_recorded" }
  /** A race is to be replayed on another prompt, by its index */
  | { type: "choose_prompt"; prompt: number }
  /** A lane's run is to be opened in Watch */
  | { type: "watch_lane"; label: string; prompt: number }
  /** An entry of a race is to be explained: why it was not faster */
  | { type: "explain_row"; label: string }
  /** A run of a sweep is to be opened in Watch */
  | { type: "watch_point"; run: number }
  /** The history is another one than the lists were made for */
  | { type: "edited" }
  /** Seconds that the page needed to draw a message of a run */
  | { type: "took"; run: string; seconds: number }
  /** The names of all items are to be offered */
  | { type: "shop_items" };

/** Any question of the Lab */
export type Question =
  /** Begin to measure batches of the bundled pair */
  | { type: "batches"; draft_length: number }
  /** Return what can be measured */
  | { type: "catalogue" }
  /** Begin to run the bundled pair and to put its rounds on two clocks */
  | { type: "clocks"; draft_length: number; guesses: number; temperature: number }
  /** Begin to measure acceptance and price by the length of the text */
  | { type: "contexts"; pair: "bundled" | "smollm2-135m"; draft_length: number }
  /** Return how acceptance changes while one number moves */
  | {
      type: "curve";
      target: number[];
      draft: number[];
      num_drafts: number;
      rule: string;
      curve: "bernoulli" | "flatness" | "towards" | "uniform_draft" | "uniform_draft_right";
    }
  /** Return how far a measurement is */
  | { type: "follow"; id: string }
  /** Begin to compare speculative sampling's greedy texts with plain decoding's, after a hundred prompts */
  | { type: "greedy"; pair: "bundled" | "smollm2-135m"; products: "own" | "torch" }
  /** Return what the command `greedy` measured with either kind of products, and the models that are here */
  | { type: "greedy_recorded" }
  /** Goodput by draft length at a batch size, and by batch size at the best draft length */
  | {
      type: "load";
      rate: number;
      batch: number;
      draft_length: number;
      table: string;
      costs: string;
      cost_ratio: number;
      round_ms: number;
      num_experts: number;
      per_token: number;
      expert_share?: number;
      arrivals_per_s?: number;
      reads_again?: boolean;
    }
  /** Return what a server recorded; its log goes over in base64, costs are in plain steps */
  | { type: "log"; content: string; draft_cost: number | null; verify_cost: number }
  /** Return what servers call their numbers */
  | { type: "names" }
  /** Return the pairs that can be measured here, and what `costs --by-context` recorded of them */
  | { type: "offered" }
  /** Return the events of a trace file, whose content goes over in base64 */
  | { type: "open_trace"; name: string; content: string }
  /** Return how far a check is, beyond the points that the page has of each method */
  | { type: "poll"; id: string; seen: number[] }
  /** Return the whole picture at one position */
  | { type: "position"; target: number[]; draft: number[]; num_drafts: number; rule: string }
  /** Return how fast each recorded run was */
  | { type: "recordings" }
  /** Return the whole picture */
  | {
      type: "speed";
      passing: number[];
      draft_length: number;
      cost_ratio: number;
      nodes_cost: string;
      per_node: number;
      bytes_per_parameter: number;
      num_nodes: number;
      children: number;
      layer_acceptance: number;
      num_beams: number;
      num_draws: number;
      falling?: number;
    }
  /** Begin one check, or two side by side */
  | {
      type: "start";
      runs: Subject[];
      on: "pair" | "tables";
      prompt: string;
      num_tokens: number;
      num_likeliest: number;
      samples: number;
      seed: number;
    }
  /** End a bench */
  | { type: "stop"; id: string };

/** The method that is measured, and its experiment */
export type Subject = { name: string; options?: Record<string, any>; broken?: boolean };

/** Parts of a link to a run: `run` names one that the page has, `setup` has settings to repeat one */
export type LinkParts = { run?: string; setup?: string };

/** A line for messages, with a bar below it while there is a `total` */
export interface Line {
  done?: number;
  /** words of a link that the server left out */
  dropped?: any[];
  /** said only where the key that stands there begins so */
  instead_of?: string;
  kind: "error" | "quiet";
  link?: LinkParts | null;
  /** its sentences, keyed where they are words of the server */
  said: any[];
  /** in English */
  text: string;
  total?: number;
}

/** A whole run against plain decoding of the same prompt, by runs of both in turns */
export interface Beside {
  /** quotients in all */
  count: number;
  /** about as fast, or the runs do not tell */
  even: boolean;
  high: number;
  /** lowest quotient of a plain run and one of the method, of those shown */
  low: number;
  /** of the method, the median of its runs */
  ms: number;
  /** of plain decoding for as many tokens, the median of its runs */
  plain_ms: number;
  /** of each side */
  runs: number;
  /** quotients from low to high */
  shown: number;
  /** of the run */
  tokens: number;
}

/** A run in the player, as far as it has come */
export interface PlayerValue {
  /** seconds at the end of each round, in its median run */
  again: number[] | null;
  beside: Beside | null;
  /** id of the run that it branches from */
  branch_of?: string;
  /** JSON arrays of events */
  chunks: string[];
  ended: boolean;
  /** sentences on what ended it early */
  error: any[] | null;
  /** of the energy that the run would take, once it has ended */
  estimate: any;
  figures: string | null;
  /** how many chunks came before these */
  first: number;
  format: string;
  link: LinkParts | null;
  live: boolean;
  made_here?: boolean;
  /** seconds at which plain decoding had each token */
  plain: number[] | null;
  /** an id of its own */
  run: string;
  /** draft length, ratio to plain decoding */
  tried: [number, number][] | null;
  version: number;
}

/** The runs of an entry so far, in tokens/s */
export type MeasuredLane = { badge: Mark; label: string; name: string; note: string; rates: number[]; title: string };

/** A method's losslessness */
export type Mark = { claim: string; lossless: boolean; mark: string; words: string };

/** A race in progress */
export interface Measuring {
  lanes: MeasuredLane[];
  /** of each entry, once it has ended */
  runs: number;
}

/** A race that is measured, if any; without one the race before is shown again */
export type NoRace = { measuring?: Measuring; race: null };

/** An entry in the replay, with the median of its repeats; none where it failed, or none was kept */
export interface LaneValue {
  badge: Mark;
  failed: string | null;
  label: string;
  name: string;
  note: string;
  run: LaneRun | null;
  title: string;
}

/** A run on the decoding clock */
export interface LaneRun {
  budget: number;
  prompt: string;
  reason: string | null;
  repeat: number;
  repeats: number;
  rounds: LaneRound[];
  seconds: number;
  seed: number;
  tokens: number;
  tokens_per_s: number | null;
}

/** A round; its tree has the roots first, each node with a letter of its state */
export interface LaneRound {
  /** the decoding clock at its end, as recorded */
  clock_s: number;
  /** of the round */
  draft_s: number;
  /** words of the text so far that stay, all but with beams */
  num_kept: number;
  /** by index */
  parents: number[];
  states: string;
  /** pieces and states that come after them */
  words: [string, string][];
}

/** The replay of a race on a prompt */
export interface Lanes {
  lanes: LaneValue[];
  lanes_note: string;
  /** of the prompt */
  place: number;
}

/** A race that has ended */
export interface RaceValue {
  beside: Record<string, any> | null;
  chart: Chart;
  conditions: string;
  energy: EnergyValue | null;
  lanes: LaneValue[];
  lanes_note: string;
  /** of the prompt */
  place: number;
  prompts: string[];
  /** an id of its own */
  race: string;
  /** where and when, of one that is kept with the page */
  recorded: string;
  standings: Standings;
  verdict: string[];
}

/** A chart, and its numbers as a table */
export interface Chart {
  bars?: any;
  /** a plotly figure in place of bars */
  figure?: any;
  id: string;
  rows: Record<string, any[]>;
  /** read aloud */
  summary: string;
  title: string;
}

/** The bars of a race, with the watts of the machine whose constants they take */
export interface EnergyValue {
  bars: EnergyBar[];
  machine: string;
  /** what measured */
  source: string | null;
  watts: Record<string, number>;
  /** why nothing did */
  why: string | null;
}

/** The energy of an entry's middle run, so that the parts add up to the median in the table of the race */
export interface EnergyBar {
  label: string;
  /** joules per token */
  measured: number | null;
  /** T_flop and T_mem in seconds per token, by part */
  parts: Record<string, number[]>;
  title: string;
}

/** The table of a race */
export type Standings = { columns: Column[]; notes: string[]; rows: Standing[] };

/** One measure of the table */
export interface Column {
  id: string;
  title: string;
  group: string;
  kind: "computed" | "counted" | "estimate" | "measured";
  help: string;
  form: "bytes" | "joules" | "number" | "percent" | "times";
  digits: number;
  unit: string;
  better: "high" | "low" | null;
  why_blank?: string;
}

/** A row of the table of a race */
export interface Standing {
  /** label of what the speed-up is over */
  against: string | null;
  badge: Mark;
  cells: Record<string, Cell>;
  failed: string | null;
  label: string;
  name: string;
  note: string;
  /** its title, where that is not plain decoding */
  over: string;
  runs: number;
  tests: string | null;
  title: string;
}

/** A number with its spread; or why there is none */
export type Cell = { high: number | null; low: number | null; value: number | null; why: string };

/** A run of a setting */
export type SweepRun = { cells: Record<string, any>; failed: string | null; prompt: number; run: number; seed: number };

/** A row of the table: medians over the runs of a setting */
export interface SweepSetting {
  badge: Mark;
  cells: Record<string, any>;
  /** why all of its runs did */
  failed: string | null;
  /** ids of the charts on whose front it is */
  fronts: string[];
  label: string;
  name: string;
  note: string;
  num_failed: number;
  /** the median one */
  run: number | null;
  runs: SweepRun[];
  title: string;
}

/** A sweep, as far as it has come */
export interface SweepValue {
  charts: Chart[];
  columns: Column[];
  conditions: string;
  done: number;
  headline: string;
  labels: string;
  notes: string[];
  recorded: string;
  settings: SweepSetting[];
  /** its id, by which the browser finds it again */
  sweep: string;
  total: number;
}

/** An item of the shop */
export type ItemName = { id: number; name: string };

/** An item of a list; `hit` where the user bought it next */
export type ListedItem = { about: string; hit: boolean; id: number; log_prob: number; name: string };

/** A list, its run, and its overlap with the list of beam search */
export interface RecommendedList {
  /** a JSON array of events */
  chunk: string;
  /** calls, steps and milliseconds of its run, see `facts_of` */
  facts: Record<string, number>;
  items: ListedItem[];
  kind: "none" | "relaxed" | "strict";
  same: boolean;
  shared: number;
  title: string;
}

/** The three lists for a history, measured together */
export interface RecommendValue {
  bought_next: ItemName[];
  format: string;
  lists: RecommendedList[];
  /** short, by the tokens of an identifier or of its beginning */
  names: Record<string, string>;
  recorded: string;
  run: string;
  version: number;
}

/** A number, another one below it, and a tooltip */
export type NumberCell = { below?: string; text: string; title?: string };

/** A row of a table of numbers */
export type NumberRow = { cells: NumberCell[]; chosen?: boolean; title: string };

/** A table of numbers below the stage */
export interface NumberTable {
  columns: string[];
  /** title and number of columns */
  groups: [string, number][];
  note: string;
  rows: NumberRow[];
  title: string;
}

/** Items in the order in which they were bought, and their names */
export type History = { items: number[]; names: Record<string, string> };
