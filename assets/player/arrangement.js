/** Arrangement of the player's parts on the page; their positions are in player.css. */

import { element, empty } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { Side } from "./panels/side.js";
import { legend } from "./stage/legend.js";

/** The panel next to the stage, with all that it can show; `first` is what the page around puts before it. */
export function sideOf(player, first) {
  return new Side(
    [
      ...first,
      ["token", [player.details.root, player.whatIf.root]],
      ["rule", [player.lenses.root, element("p", "sp-quiet sp-no-rule", say("rule_none"))]],
      ["mask", [player.mask.root]],
      ["cache", [player.cache.root]],
      ["rounds", [player.totals.root, player.figures.whole, player.figures.charts.rounds.root]],
      ["about", [player.figures.charts.about.root, player.about.root, player.citation.root, player.figures.none]],
    ],
    () => player.turned(),
    () => player.actions.widen(),
    () => player.openPanel(false),
  );
}

/** Puts everything into the host. */
export function arrange(player) {
  const { about, callouts, caption, cast, controls, draw, host, lead, presenting, ratio, root, side } = player;
  const { text, timeline, tour, tree, waiting } = player;
  tree.root.prepend(draw.lines); // below the chips
  tree.root.append(cast.sweep, callouts.root, waiting.root);
  caption.root.append(tree.camera.button);
  about.title.after(player.whatIf.bar);
  const lane = element("div", "sp-lane", [cast.root, draw.root, draw.future.root]);
  const scene = element("div", "sp-scene", [
    text.root,
    caption.root,
    tree.root,
    player.depths.root,
    lane,
    legend(),
    presenting.key.root,
    player.ending.root,
    tour.root,
  ]);
  const clock = element("div", "sp-clock", [timeline.root, ratio.root]);
  controls.root.children[0].after(player.length.root);
  const foot = element("div", "sp-foot", [clock, controls.root, controls.home]);
  controls.dialog.lastElementChild?.before(element("h3", "sp-panel-title", say("legend_title")), legend());
  root.append(
    lead.root,
    about.head,
    player.problem,
    scene,
    side.root,
    foot,
    controls.dialog,
    caption.spoken,
    presenting.leave,
    presenting.hint,
    presenting.cover,
  );
  // Inside Gradio the page's own switch decides on dark; a page of its own follows the system.
  if (!host.closest(".gradio-container, gradio-app")) root.dataset.scheme = "auto";
  empty(host);
  host.appendChild(root);
}
