/** Parts of lessons that several of their views have. */

import { element, pressButton } from "../shared/elements.js";
import { say } from "../shared/words.js";

/**
 * A button that calls `press`, unless it is disabled for the ear, and so for the hand.
 *
 * @param {string} className
 * @param {string} text
 * @param {() => void} press
 */
export function button(className, text, press) {
  const node = pressButton(className, text, () => node.getAttribute("aria-disabled") !== "true" && press());
  return node;
}

/**
 * A lesson's exercises as a list: of links, where they lead somewhere.
 *
 * @param {import("./lesson.js").Lesson} lesson
 * @param {boolean} live whether the page can make runs
 */
export function exercisesOf(lesson, live) {
  const items = lesson.exercises.map(([name, address]) => {
    const text = say(`${lesson.id}_${name}`);
    if (!live) return element("li", "", text);
    return element("li", "", [element("a", "", text, { href: address, target: "_blank", rel: "noopener" })]);
  });
  return element("ul", "learn-exercises", items);
}
