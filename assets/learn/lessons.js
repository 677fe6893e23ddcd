/** The lessons, in the order in which they are read. */

import { beams } from "./lessons/beams.js";
import { best } from "./lessons/best.js";
import { blocks } from "./lessons/blocks.js";
import { coin } from "./lessons/coin.js";
import { convict, course } from "./lessons/course.js";
import { distinct } from "./lessons/distinct.js";
import { draft } from "./lessons/draft.js";
import { joint } from "./lessons/joint.js";
import { joules } from "./lessons/joules.js";
import { length } from "./lessons/length.js";
import { lossless } from "./lessons/lossless.js";
import { recommend } from "./lessons/recommend.js";
import { servers } from "./lessons/servers.js";
import { slow } from "./lessons/slow.js";
import { trees } from "./lessons/trees.js";

/** @type {import("./lesson.js").Lesson[]} */
export const lessons = [
  slow,
  draft,
  coin,
  lossless,
  length,
  trees,
  distinct,
  best,
  joint,
  blocks,
  servers,
  beams,
  recommend,
  joules,
  course,
  convict,
];
