/**
 * What a button or a key may wish of the player, by name. Buttons, keys and tests ask for the same.
 */

import { SPEEDS } from "./playhead.js";

/** @param {any} player */
export function actionsOf(player) {
  const head = player.playhead;
  const goto = (step) => head.goto(step);
  const speed = (by) =>
    head.setSpeed(SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(head.speed) + by))]);
  return {
    toggle: () => head.toggle(),
    step_back: () => goto(head.cursor - 1),
    step_forward: () => goto(head.cursor + 1),
    round_back: () => goto(roundEdge(player.trace, head, -1)),
    round_forward: () => goto(roundEdge(player.trace, head, 1)),
    restart: () => goto(0),
    to_end: () => goto(head.last),
    next_rejection: () => goto(nextRejection(player.trace, head.cursor)),
    speed: (value) => head.setSpeed(value),
    slower: () => speed(-1),
    faster: () => speed(1),
    live: () => (head.following ? head.leave() : head.follow()),
    help: () => player.controls.dialog.open || player.controls.dialog.showModal(),
    tour: () => player.tour.open(),
    release: () => player.pin(null),
    open_in_lab: () => player.details.open(),
    widen: () => player.widen(),
    panel: () => player.openPanel(player.root.classList.contains("sp-closed")),
    flip: () => player.whatIf.flip(),
    take_away: () => player.away.open(),
    view: (number) => player.side.openNumber(number),
    present: () => player.presenting.toggle(),
    blank: () => player.presenting.blank(),
    copy_link: () => player.copy("link"),
    copy_frame: () => player.copy("frame"),
  };
}

/** The first step of the next round, or of this one, or of the one before when already there. */
function roundEdge(trace, { cursor, last }, direction) {
  const firsts = trace.rounds.map((round) => round.firstStep);
  if (direction > 0) return firsts.find((step) => step > cursor) ?? last;
  return firsts.filter((step) => step < cursor).pop() ?? 0;
}

function nextRejection(trace, cursor) {
  const match = trace.steps.find(
    (step) => step.index > cursor && step.kind === "verified" && step.verdict?.outcome === "rejected",
  );
  return match ? match.index : cursor;
}
