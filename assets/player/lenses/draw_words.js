/** The words of a test on its token. */

import { learn } from "../../shared/words.js";

learn({
  draw_below: "u {u} < {accept}",
  draw_above: "u {u} ≥ {accept}",
  draw_ratio_below: "u {u} < p/q {accept}",
  draw_ratio_above: "u {u} ≥ p/q {accept}",
  draw_certain: "p ≥ q: every u accepts",
  draw_residual: "What the rejections leave of p",
});
