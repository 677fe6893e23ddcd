/** Words of a test on its token, and of the other outcome that it could have had. */

import { learn } from "../../../shared/words.js";

learn({
  draw_below: "u {u} < {accept}",
  draw_above: "u {u} ≥ {accept}",
  draw_ratio_below: "u {u} < p/q {accept}",
  draw_ratio_above: "u {u} ≥ p/q {accept}",
  draw_certain: "p ≥ q: every u accepts",
  draw_residual: "What the rejections leave of p",
  draw_marker: "Random number u of the test of {token}",
  draw_marker_value: "u {u}, {outcome}",
  draw_marker_title: "Drag u over the edge: what if?",
  draw_would_accepted: "would be accepted",
  draw_would_rejected: "would be rejected",

  future_accepted: "With u below {accept}, {token} would be accepted.",
  future_accepted_on: "With u below {accept}, {token} would be accepted, and the drafts after it tested.",
  future_accepted_last: "With u below {accept}, {token} would be accepted, and a token drawn from p after it.",
  future_rejected: "With u from {accept} on, {token} would be rejected.",
  future_rejected_sibling: "With u from {accept} on, {token} would be rejected, and the next draw beside it tested.",
  future_rejected_last: "With u from {accept} on, {token} would be rejected, and a correction drawn in its place.",
  future_waiting: "The run is made again with this one change …",
  future_refused: "This change could not be made; the message of the page says why.",
  future_same: "The text comes out the same.",
  future_counts: "{tokens} tokens in {calls} target calls (was {tokens_before} in {calls_before})",
  future_text: "Tokens of the other run",
  future_turn: "Flip (X)",
});
