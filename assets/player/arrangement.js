/** Arrangement of the player's parts on the page; where they stand is in player.css. */

import { element, empty } from "../shared/elements.js";
import { say } from "../shared/words.js";
import { Side } from "./panels/side.js";
import { legend } from "./stage/legend.js";

/** The panel beside the stage, with all that it can show; `first` is what the page around puts before it. */
export function sideOf(player, first) {
  return new Side(
    [
      ...first,
      ["token", [player.details.root, player.whatIf.root]],
      ["rule", [player.lenses.root, element("p", "sp-quiet sp-no-rule", say("rule_none"))]],
      ["mask", [player.mask.root]],
      ["cache", [player.cache.root]],
      [
        "rounds",
        [player.totals.root, player.figures.depths.root, player.figures.whole, player.figures.charts.rounds.root],
      ],
      ["about", [player.figures.charts.about.root, player.about.root, player.citation.root, player.figures.none]],
    ],
    () => player.turned(),
    () => player.actions.widen(),
  );
}

/** Puts everything into the host. */
export function arrange(player) {
  const { about, callouts, caption, cast, controls, host, lead, presenting, root, running, side } = player;
  const { text, timeline, tour, tree, waiting } = player;
  tree.root.prepend(player.draw.lines); // below the chips
  tree.root.append(cast.sweep, callouts.root, player.draw.root, waiting.root);
  about.title.after(player.whatIf.bar);
  const scene = element("div", "sp-scene", null, {}, [
    cast.root,
    caption.root,
    tree.root,
    legend(),
    presenting.key.root,
    player.ending.root,
    tour.root,
    tree.camera.button,
    player.draw.future.root,
  ]);
  const foot = element("div", "sp-foot", null, {}, [timeline.root, controls.root, running.root]);
  controls.dialog.lastElementChild?.before(element("h3", "sp-panel-title", say("legend_title")), legend());
  root.append(
    about.head,
    lead.root,
    player.problem,
    text.root,
    running.clocks.root,
    scene,
    foot,
    side.root,
    controls.dialog,
    caption.spoken,
    presenting.leave,
    presenting.cover,
  );
  // Inside Gradio the page's own switch decides on dark; a page of its own follows the system.
  if (!host.closest(".gradio-container, gradio-app")) root.dataset.scheme = "auto";
  empty(host);
  host.appendChild(root);
}
