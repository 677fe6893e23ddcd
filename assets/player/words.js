/**
 * Every word the player shows, in one place.
 *
 * A translation replaces entries of `player.words`; nothing else in the player spells a sentence. Places in braces are
 * filled by `say`. Method titles, reasons and token texts come from the trace and are shown as they are.
 */
(function (player) {
  "use strict";

  const DASH = "–";

  player.words = {
    // stage
    stage_label: "Draft tree of the current round",
    waiting: "Waiting for the first round",
    waiting_hint: "The prompt is being read by both models.",
    empty: "No run yet",
    empty_hint: "Start a run, or choose a recorded one.",
    fit: "Fit",
    fit_title: "Show the whole tree (drag to move it, Ctrl and scroll to zoom)",
    many_nodes: "{count} nodes: each dot is a token; point at one to read its path",

    // what the current step does
    say_start: "The prompt: {count} tokens. Decoding starts after the last one.",
    say_drafted: "The draft model proposes layer {layer}: {what}.",
    say_drafted_free: "The drafter proposes layer {layer}: {what}.",
    say_draws: "{count} draws, {nodes} different tokens",
    say_draws_distinct: "{count} tokens",
    say_scored: "The target model scores {count} positions in one call ({ms}).",
    say_scored_one: "The target model reads one position in one call ({ms}).",
    say_accepted: "{token} is accepted{numbers}.",
    say_rejected: "{token} is rejected{numbers}.",
    say_coin_below: ": the coin {coin} is below the acceptance probability {accept}",
    say_coin_above: ": the coin {coin} is not below the acceptance probability {accept}",
    say_accept_only: ": acceptance probability {accept}",
    say_unjudged: "{count} drafted tokens stay unjudged: nothing asked about them.",
    say_unjudged_one: "{token} stays unjudged: nothing asked about it.",
    say_committed: "The round emits {count}: {what}.",
    say_beam: "One beam lives on, and ends in {what}. The best text ends in {best}.",
    say_beams: "{count} beams live on, the best first: they end in {what}. The best text ends in {best}.",
    say_rewritten: "Another beam has overtaken it, so the text is rewritten.",
    say_committed_one: "The round emits one token: {what}.",
    say_part_accepted: "{count} accepted",
    say_part_correction: "the correction {token}",
    say_part_bonus: "the bonus {token}",
    say_part_plain: "{token} from the target",
    say_nothing: "The round emits nothing.",
    say_finished: "Finished: {tokens} tokens in {calls} target calls ({reason}).",
    reason_length: "the budget is spent",
    reason_eos: "end of text",
    reason_stopped: "stopped by the reader",
    reason_context: "the context is full",
    round: "Round {round}",
    round_of: "Round {round} of {rounds}",
    start: "Start",
    end: "End",
    layer: "layer {layer}",
    live_round: "Round {round}: {drafted} drafted, {accepted} accepted. Emitted: {text}",

    // states and origins: the legend, the inspector and the text use the same names
    state_pending: "drafted, not yet judged",
    state_scored: "scored by the target model",
    state_accepted: "accepted",
    state_rejected: "rejected",
    state_unjudged: "unjudged",
    origin_accepted: "accepted draft token",
    origin_correction: "correction token",
    origin_bonus: "bonus token",
    origin_plain: "token from the target alone",
    origin_prompt: "prompt",
    legend_label: "Legend",
    legend_pending: "drafted",
    legend_correction: "correction token",
    legend_bonus: "bonus token",
    legend_plain: "target token",
    title_pending: "Drafted, and not yet judged",
    title_accepted: "The target model agreed to the drafted token",
    title_rejected: "The target model refused the drafted token",
    title_unjudged: "Nothing asked about it: an earlier token on its path was not accepted, or enough were",
    title_correction: "Drawn from the residual distribution after a rejection",
    title_bonus: "Drawn from p after every token on the path was accepted",
    title_plain: "Drawn from the target model without a draft",
    legend_p: "p: probability the target model gives",
    legend_q: "q: probability the draft model gave",
    legend_edge: "thicker line: larger q",
    legend_multiplicity: "drawn twice",
    legend_rank: "best of several beams",
    legend_space: "space, line break, tab",

    // text
    text_label: "Text so far",
    text_hint: "Every token is marked by its origin. Arrow keys move between tokens; Enter goes to its round.",
    text_item: "{token}, {origin}, round {round}",

    // inspector
    inspector_label: "Token",
    inspector_empty: "Point at a token",
    inspector_hint: "Its probabilities, its coin and the verdict appear here. Click to keep it.",
    pinned: "kept",
    open_in_lab: "Open in Lab",
    open_in_lab_title: "Take p and q of this position, as the trace has them, to the Lab (L)",
    lab_not_judged: "Nothing was decided at this position, so the trace holds no probabilities for the Lab.",
    lab_no_q: "The trace holds no draft distribution of its own here, so there is nothing to open in the Lab.",
    lab_other: "(others)",
    lab_other_p: "others:p>q",
    lab_other_q: "others:q>p",
    unpin: "Release",
    token_id: "id {id}",
    where: "Round {round}, layer {layer}",
    where_extra: "Round {round}, after {parent}",
    where_prompt: "Position {position} of the prompt",
    p: "p",
    q: "q",
    p_long: "target probability",
    q_long: "draft probability",
    accept: "acceptance",
    accept_long: "acceptance probability",
    accept_title: "Acceptance probability: min(1, p/q) for a single draft; with several drafts, what the method's test used",
    coin: "coin",
    coin_line: "accepted when the coin falls below the acceptance probability",
    joint: "joint q",
    joint_long: "draft probability of the whole path",
    extra_prob_long: "probability under the distribution it was drawn from",
    log_prob: "ln p",
    log_prob_long: "under the target before temperature, top-k and top-p",
    draw_of: "Draw {draw} of {draws}",
    written_by: "Drawn from draft model {writer}.",
    alternatives: "What could follow {parent}",
    alternatives_note: "The likeliest tokens under p, as recorded.",
    residual: "residual",
    residual_note: "Residual: what the rejections left of p. The correction was drawn from it.",
    overlap: "Overlap of p and q here: {value}, the sum of min(p, q)",
    overlap_note: "Over the whole vocabulary. In speculative sampling it is the exact acceptance probability of this draft.",

    // mask
    mask_label: "Attention mask of the target call",
    mask_caption_one: "1 row run; a filled cell may be attended to.",
    mask_caption: "{rows} rows run, one per token; a filled cell may be attended to.",
    mask_cached: "{cached} cached tokens, visible to all",
    mask_missing: "The mask of this round was too large to record.",
    mask_none: "It appears when the target model is called.",

    // controls
    controls_label: "Playback",
    play: "Play",
    pause: "Pause",
    step_back: "Step back",
    step_forward: "Step forwards",
    round_back: "Previous round",
    round_forward: "Next round",
    next_rejection: "Next rejection",
    restart: "Restart",
    to_end: "To the end",
    speed: "Speed",
    live: "Live",
    live_title: "Follow the run as it happens",
    help: "Keys",
    help_title: "Keyboard",
    close: "Close",
    scrubber: "Position in the run",
    scrubber_value: "Step {step} of {steps}, {place}",
    keys_note: "They work while the player is focused.",
    keys: [
      ["Space, K", "play or pause"],
      ["←, →  or  , .", "step back, step forwards"],
      ["Shift + ←, →", "previous round, next round"],
      ["N", "next rejection"],
      ["L", "open the token in the Lab, where there is one"],
      ["Home, End", "first step, last step"],
      ["[  ]", "slower, faster"],
      ["?", "this list"],
      ["Esc", "close, release the kept token"],
    ],

    // totals
    totals_label: "Totals up to this step",
    total_tokens: "tokens emitted",
    total_tokens_title: "Accepted draft tokens plus the correction or bonus token of each round; with beams, the tokens of the best text",
    total_rounds: "rounds",
    total_rounds_title: "One draft and one verification each",
    total_target_calls: "target calls",
    total_target_calls_title: "Forward passes of the target model, prefill excluded",
    total_block_efficiency: "block efficiency",
    total_block_efficiency_title: "Emitted tokens / target calls, prefill excluded, correction or bonus included",
    total_acceptance_rate: "acceptance rate",
    total_acceptance_rate_title: "Accepted / judged draft tokens; unjudged tokens do not count",
    total_draft_efficiency: "draft efficiency",
    total_draft_efficiency_title: "Accepted / drafted tokens; unjudged tokens count as drafted",
    total_tokens_per_second: "tokens per second",
    total_tokens_per_second_title: "Emitted tokens / decoding clock as recorded, prefill excluded",
    lossless: "lossless: reproduces {law}",
    lossless_title: "The method claims the output distribution of {law}",
    lossy: "LOSSY",
    lossy_title: "The output distribution differs from the target model's",
    run_facts: "About this run",
    fact_method: "Method",
    fact_target: "Target model",
    fact_draft: "Draft model",
    fact_sampling: "Sampling",
    fact_options: "Options",
    fact_seed: "Seed",
    fact_machine: "Machine",
    fact_versions: "Versions",
    fact_prefill: "Prefill",
    fact_created: "Recorded",
    fact_budget: "Budget",
    fact_energy: "Energy",
    fact_perplexity: "Perplexity",
    model: "{name}: {parameters} parameters, {layers} layers, {dtype}, {device}",
    no_draft_model: "none",
    tokens: "{count} tokens",

    // charts
    charts_label: "Charts",
    chart_table: "table",

    // errors
    error_not_trace: "This is not a trace of a run: it needs format, version and events. Choose a file saved by this playground.",
    error_version: "This trace has version {version}; this player reads version 1.",
    error_event: "Event {index} of the trace cannot be read: {why}. What came before it is shown.",
    error_order: "{event} came before the run started",
    error_unknown: "unknown event {event}",
    error_field: "{event}.{field} is missing or of the wrong kind",
    error_length: "the lists of {event} have different lengths",
    error_node: "{event} names node {node}, which no event introduced",
    error_round: "{event} speaks of round {round} after round {last}",
    error_inside: "the player could not draw it ({why})",
    error_live: "The run could not be shown: {why}",

    // tables of results
    table_sort: "Sort by {title}",
    kind_measured: "measured",
    kind_counted: "counted",
    kind_computed: "computed",
    kind_estimate: "estimate",
  };

  /** A sentence of the table above with its places filled; an unknown key shows itself, so that a gap is seen. */
  player.say = function (key, values) {
    const sentence = player.words[key];
    if (typeof sentence !== "string") return key;
    return sentence.replace(/\{(\w+)\}/g, (place, name) => (values && name in values ? String(values[name]) : place));
  };

  /** A probability with three decimals; tiny ones keep one digit, absent ones are a dash. */
  player.probability = function (value) {
    if (value === null || value === undefined) return DASH;
    if (value > 0 && value < 0.0005) return value.toExponential(0).replace("-", "−");
    return value.toFixed(3);
  };

  player.percent = (value) => (value === null || value === undefined ? DASH : (100 * value).toFixed(1) + " %");

  player.decimal = (value, digits) => (value === null || value === undefined ? DASH : value.toFixed(digits));

  player.milliseconds = (seconds) => (1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0) + " ms";

  /** 33 400 000 as "33.4 M". */
  player.magnitude = function (count) {
    if (typeof count !== "number") return DASH;
    const [divisor, letter] = count >= 1e9 ? [1e9, " B"] : count >= 1e6 ? [1e6, " M"] : count >= 1e3 ? [1e3, " k"] : [1, ""];
    return (count / divisor).toFixed(divisor === 1 || count / divisor >= 100 ? 0 : 1).replace(/\.0$/, "") + letter;
  };
})((window.specPlayer = window.specPlayer || {}));
