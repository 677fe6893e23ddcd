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
  /** Ask what two rows come to under every scheme */
  | { type: "position"; target: number[]; draft: number[]; num_drafts: number; rule: string }
  /** Ask how acceptance changes while one number moves; the curve's name is that in links */
  | {
      type: "curve";
      target: number[];
      draft: number[];
      num_drafts: number;
      rule: string;
      curve: "bernoulli" | "flatness" | "towards" | "uniform_draft" | "uniform_draft_right";
    }
  /** Ask which width DSBD chooses */
  | {
      type: "width";
      target: number[];
      draft: number[];
      num_draws: number;
      threshold: number;
      min_width: number;
      num_layers: number;
      seed: number;
    }
  /** Ask what one depth comes to, simulated */
  | {
      type: "depth";
      target: number[];
      draft: number[];
      num_draws: number;
      threshold: number;
      min_width: number;
      num_layers: number;
      seed: number;
    }
  /** Ask what whole rounds come to, simulated */
  | {
      type: "rounds";
      target: number[];
      draft: number[];
      num_draws: number;
      threshold: number;
      min_width: number;
      num_layers: number;
      seed: number;
    }
  /** Ask what can be measured */
  | { type: "catalogue" }
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
  /** Ask how far a bench is, beyond the points that the page has of each check */
  | { type: "poll"; id: string; seen: number[] }
  /** End a bench */
  | { type: "stop"; id: string }
  /** Ask what drafting is worth */
  | {
      type: "speed";
      passing: number[];
      nodes_cost: string;
      draft_length: number;
      num_nodes: number;
      children: number;
      num_beams: number;
      num_draws: number;
      cost_ratio: number;
      per_node: number;
      bytes_per_parameter: number;
      layer_acceptance: number;
      falling: number;
    }
  /** Ask what drafting is worth under load */
  | {
      type: "load";
      rate: number;
      draft_length: number;
      batch: number;
      table: string;
      costs: string;
      cost_ratio: number;
      round_ms: number;
      num_experts: number;
      per_token: number;
      expert_share: number;
      arrivals_per_s: number;
    }
  /** Measure batches of the bundled pair, in which each sequence drafts this many tokens */
  | { type: "batches"; draft_length: number }
  /** Read the file of a trace; its content goes over in base64 */
  | { type: "open_trace"; name: string; content: string }
  /** Ask how good each drafter is */
  | { type: "positions" }
  /** Ask what servers call their numbers */
  | { type: "names" }
  /** Ask what a server recorded; its log goes over in base64, costs are in plain steps */
  | { type: "log"; content: string; draft_cost: number | null; verify_cost: number };

/** A method to measure, or a rule that is broken on purpose */
export interface Subject {
  name: string;
  options?: Record<string, any>;
  broken?: boolean;
}

/** A line for messages, with a bar below it while there is a `total` */
export interface Line {
  done?: number;
  /** words of a link that the server left out */
  dropped?: any[];
  /** said only where the key that stands there begins so */
  instead_of?: string;
  kind: "error" | "quiet";
  /** its sentences, keyed where they are words of the server */
  said: any[];
  /** in English */
  text: string;
  total?: number;
}

/** A run in the player, as far as it has come */
export interface PlayerValue {
  /** seconds at the end of each round, in its fastest run */
  again: number[] | null;
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

/** Parts of a link to a run: `run` names one that the page has, `setup` has settings to repeat one */
export interface LinkParts {
  run?: string;
  setup?: string;
}
