/** A position on its way from the player to the Lab, which may not be there yet: it looks here when it is. */

/** @type {any} */
let position = null;

export const HANDED_OVER = "spec-open-in-lab"; // an event of the document

/** @param {unknown} found */
export function handOver(found) {
  position = found;
  document.dispatchEvent(new CustomEvent(HANDED_OVER));
}

/** Value that was handed over, once. */
export function handed() {
  const handedOver = position;
  position = null;
  return handedOver;
}
