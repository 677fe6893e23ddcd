/** The lessons, in the order in which they are read. */

import { beams } from "./lessons/beams.js";
import { coin } from "./lessons/coin.js";
import { draft } from "./lessons/draft.js";
import { length } from "./lessons/length.js";
import { lossless } from "./lessons/lossless.js";
import { servers } from "./lessons/servers.js";
import { slow } from "./lessons/slow.js";
import { trees } from "./lessons/trees.js";

/** @type {import("./lesson.js").Lesson[]} */
export const lessons = [slow, draft, coin, lossless, length, trees, servers, beams];
