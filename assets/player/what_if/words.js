/** The words of a branch: what is asked for, and what a run says of itself that has a change in it. */

import { learn } from "../../shared/words.js";

learn({
  if_title: "What if …",
  if_hint: "The run is made again with one change. All coins that the change does not touch stay as they are.",
  if_elsewhere: "A branch of this run needs the page that makes runs: here it is only played.",
  if_branch: "This run is a branch already. Flip to the run that it came from (X), and ask there.",
  if_running: "Ask when the run has ended.",
  if_refuse: "{token} had been refused",
  if_accept: "{token} had been accepted",
  if_every_coin: "Every coin accepts {token}: its acceptance probability is 1. Another token can take its place.",
  if_no_coin: "No coin accepts {token}: its acceptance probability is 0. It can be put there as a token.",
  if_threshold:
    "No coin was thrown for {token} itself: a threshold decided, or the coin of a longer prefix. Another token can take its place.",
  if_token: "another token stood here",
  if_token_choice: "The token in place of {token}",
  if_option: "the drafts were of another size",
  if_option_choice: "What is changed",
  if_option_value: "Its new value",
  if_take: "Take it",
  if_from: "From round {round} on",

  said_rejected: "What if {token} had been refused in round {round}?",
  said_accepted: "What if {token} had been accepted in round {round}?",
  said_token: "What if {other} had come in place of {token} in round {round}?",
  said_options: "What if {options} from round {round} on?",
  said_original: "The run as it was",
  flip_to_original: "Flip back (X)",
  flip_to_branch: "Flip to the branch (X)",
});
