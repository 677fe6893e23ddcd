/**
 * No answer of the server is lost between two streams.
 *
 * Gradio's server answers on a stream, and ends it when nothing is asked for any more. Who asks at that very moment gets
 * a number, and the answer under that number on the next stream. But where the number arrives before the old stream's
 * last word, Gradio's client takes that stream to be alive and opens no other: the page waits for ever. So while a
 * stream is open a number is held back, until that stream is over, or for so long that its last word would be here: not
 * one long pause but many short ones, as a page that stood still for as long would come to their end before the word.
 */

const [PAUSES, PAUSE_MS] = [25, 10];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const fetched = window.fetch.bind(window);
/** @type {Promise<void>} until the newest stream is over */
let over = Promise.resolve();

async function aWhile() {
  for (let each = 0; each < PAUSES; each++) await pause(PAUSE_MS);
}

window.fetch = async (asked, options) => {
  const address = asked instanceof Request ? asked.url : String(asked);
  if (address.includes("/queue/data")) {
    const signal = asked instanceof Request ? asked.signal : options?.signal;
    over = new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));
  }
  const answer = await fetched(asked, options);
  if (address.includes("/queue/join")) await Promise.race([over, aWhile()]);
  return answer;
};
