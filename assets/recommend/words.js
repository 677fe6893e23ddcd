/** Every word that the recommender shows, beside those of the player. */

import { learn } from "../shared/words.js";

learn({
  rec_stage: "Player of a recommendation",
  rec_waiting: "Choose a user, or items, and press Recommend.",
  side_list: "List",
  side_list_title: "The recommended items, best first",
  rec_kinds: "What the stage and the list show",
  rec_list: "{title}: {count} items",
  rec_list_one: "{title}: 1 item",
  rec_next: "Bought next",
  rec_next_unknown: "What comes next is not known for a history of your own.",
  rec_hit: "on the list at place {place}",
  rec_miss: "not on the list",
  rec_more: "and {count} more",
  rec_bought: "bought next",
  rec_score: "ln p {value}",
  rec_add: "Add {name} to the history",
  rec_same:
    "The very list of beam search: the same items in the same order, with {calls} target calls in place of {plain}.",
  rec_same_one:
    "The very list of beam search: the same items in the same order, with 1 target call in place of {plain}.",
  rec_differs: "Not the list of beam search, which strict verification must give. Please report it.",
  rec_relaxed:
    "Drawn, not searched: {shared} of {count} on beam search's list, too. {calls} target calls in place of {plain}.",
  rec_relaxed_one:
    "Drawn, not searched: {shared} of {count} on beam search's list, too. 1 target call in place of {plain}.",
  rec_plain: "The {count} most probable items, one target call for each of {calls} tokens.",
  rec_plain_one: "The most probable item, one target call for each of {calls} tokens.",
  rec_time:
    "The whole list took {own} ms, that of beam search {plain} ms; above the tree stand the times of one round.",
  rec_why:
    "Slower here: drafting took {draft} ms, and a target call over {nodes} nodes {each} ms; one of beam search, over {plain_nodes}, takes {plain_each} ms.",
  rec_time_plain: "The whole list took {own} ms; above the tree stands the time of one round.",
  history_bought: "Has bought",
  history_empty: "Nothing yet. Choose a user above, or find items here.",
  history_find: "Add an item",
  history_find_hint: "Name of an item",
  history_remove: "Take {name} away",
  history_clear: "Clear",
  history_unread: "Not read: the models read the last {count}",
});
