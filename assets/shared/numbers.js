/** Numbers for reading: one way everywhere, with a dash for what is not there. */

const DASH = "–";

/**
 * A probability with three decimals; tiny ones keep one digit, absent ones are a dash.
 * @param {number | null | undefined} value
 */
export function probability(value) {
  if (value === null || value === undefined) return DASH;
  if (value > 0 && value < 0.0005) return value.toExponential(0).replace("-", "−");
  return value.toFixed(3);
}

/**
 * p or q of a ratio that is told with three decimals: four digits, so that a reader who divides them finds it.
 * @param {number | null | undefined} value
 */
export const precise = (value) => (value === null || value === undefined ? DASH : String(Number(value.toPrecision(4))));

/** @param {number | null | undefined} value */
export const percent = (value) => (value === null || value === undefined ? DASH : (100 * value).toFixed(1) + " %");

/** @param {number | null | undefined} value @param {number} digits */
export const decimal = (value, digits) => (value === null || value === undefined ? DASH : value.toFixed(digits));

/** @param {number} seconds */
export const milliseconds = (seconds) => (1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0) + " ms";

/** 33 400 000 as "33.4 M". @param {unknown} count */
export function magnitude(count) {
  if (typeof count !== "number") return DASH;
  const [divisor, letter] =
    count >= 1e9 ? [1e9, " B"] : count >= 1e6 ? [1e6, " M"] : count >= 1e3 ? [1e3, " k"] : [1, ""];
  return (count / divisor).toFixed(divisor === 1 || count / divisor >= 100 ? 0 : 1).replace(/\.0$/, "") + letter;
}
