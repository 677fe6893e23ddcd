/** A recorded run as lessons see it: its file, for the stage, and the trace that it folds into. */

import { Trace } from "../player/trace/trace.js";

/** @param {any} file @returns {{file: any, trace: any}} */
export function folded(file) {
  const trace = new Trace();
  for (const event of file.events) trace.push(event);
  return { file, trace };
}
