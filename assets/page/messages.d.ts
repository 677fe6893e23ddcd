// Messages of the page, made by `python -m tests.contract` from playground/ui/contract: do not edit.

/** A link asks for a recorded run */
export interface OpenRun {
  type: "open_run";
  run: string;
}

/** A change in the run on the stage, from which a branch is made: a verdict, a token or options */
export interface WhatIf {
  type: "what_if";
  round: number;
  node?: number | null;
  token?: number | null;
  outcome?: "accepted" | "rejected" | null;
  options?: Record<string, any>;
}

/** The player has something to say of a link */
export interface LinkNoted {
  type: "link_noted";
}

/** Another run is on the stage than the one that is explained */
export interface Turned {
  type: "turned";
}

/** A method was chosen in the menu */
export interface Chosen {
  type: "chosen";
  method: string;
}

/** A tab was opened that shows nothing yet */
export interface OpenRecorded {
  type: "open_recorded";
}

/** A race is to be replayed on another prompt, by its index */
export interface ChoosePrompt {
  type: "choose_prompt";
  prompt: number;
}

/** A lane's run is to be opened in Watch */
export interface WatchLane {
  type: "watch_lane";
  label: string;
  prompt: number;
}

/** An entry of a race is to be explained: why it was not faster */
export interface ExplainRow {
  type: "explain_row";
  label: string;
}

/** A run of a sweep is to be opened in Watch */
export interface WatchPoint {
  type: "watch_point";
  run: number;
}

/** The history is another one than the lists were made for */
export interface Edited {
  type: "edited";
}

/** Seconds that the page needed to draw a message of a run */
export interface Took {
  type: "took";
  run: string;
  seconds: number;
}

/** The names of all items are to be offered */
export interface ShopItems {
  type: "shop_items";
}

/** Any message of the page. */
export type FromPage =
  | OpenRun
  | WhatIf
  | LinkNoted
  | Turned
  | Chosen
  | OpenRecorded
  | ChoosePrompt
  | WatchLane
  | ExplainRow
  | WatchPoint
  | Edited
  | Took
  | ShopItems;
