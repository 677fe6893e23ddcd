/** Animated GIF, as GIF89a says: one table of colours for all pictures, and LZW, its appendix F. */

const COLOURS = 256;
const CLEAR = COLOURS;
const END = CLEAR + 1;
const MOST_CODES = 4096;

/**
 * @param {{pixels: Uint8ClampedArray, ms: number}[]} frames RGBA of each, and how long it stays
 * @param {{width: number, height: number}} size
 */
export function gifOf(frames, { width, height }) {
  const { table, indexOf } = coloursOf(frames);
  const word = (value) => [value & 255, value >> 8];
  const letters = (text) => Array.from(text, (letter) => letter.charCodeAt(0));
  const parts = [letters("GIF89a"), word(width), word(height), [0xf7, 0, 0], table];
  parts.push([0x21, 0xff, 11], letters("NETSCAPE2.0"), [3, 1, 0, 0, 0]); // for ever
  for (const { pixels, ms } of frames) {
    parts.push([0x21, 0xf9, 4, 0], word(Math.round(ms / 10)), [0, 0]);
    parts.push([0x2c, 0, 0, 0, 0], word(width), word(height), [0, 8]);
    const bytes = packed(pixels, indexOf);
    for (let at = 0; at < bytes.length; at += 255) {
      const block = bytes.slice(at, at + 255);
      parts.push([block.length], block);
    }
    parts.push([0]);
  }
  return Uint8Array.from([...parts.flat(), 0x3b]);
}

/** A colour in 15 bits. */
const shade = (pixels, at) => ((pixels[at] >> 3) << 10) | ((pixels[at + 1] >> 3) << 5) | (pixels[at + 2] >> 3);

/** The most frequent colours, and the nearest of them for every other. */
function coloursOf(frames) {
  const counts = new Map();
  for (const { pixels } of frames)
    for (let at = 0; at < pixels.length; at += 4) {
      const key = shade(pixels, at);
      counts.set(key, (counts.get(key) || 0) + 1);
    }
  const shades = Array.from(counts.keys()).sort((a, b) => counts.get(b) - counts.get(a));
  const rgb = (key) => [(key >> 10) & 31, (key >> 5) & 31, key & 31];
  const palette = shades.slice(0, COLOURS).map(rgb);
  const far = (a, b) => a.reduce((sum, part, i) => sum + (part - b[i]) ** 2, 0);
  const indexOf = new Map(shades.slice(0, COLOURS).map((key, i) => [key, i]));
  for (const key of shades.slice(COLOURS)) {
    const gaps = palette.map((each) => far(each, rgb(key)));
    indexOf.set(key, gaps.indexOf(Math.min(...gaps)));
  }
  const table = Array.from({ length: 3 * COLOURS }, () => 0);
  palette.flat().forEach((part, i) => (table[i] = Math.round((255 * part) / 31)));
  return { table, indexOf };
}

/** The indices of a picture as LZW codes, which grow from 9 to 12 bits. */
function packed(pixels, indexOf) {
  const bytes = [];
  const codes = new Map();
  let [held, bits, size, next] = [0, 0, 9, END + 1];
  const put = (code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8, held >>>= 8) bytes.push(held & 255);
  };
  put(CLEAR);
  let before = indexOf.get(shade(pixels, 0));
  for (let at = 4; at < pixels.length; at += 4) {
    const index = indexOf.get(shade(pixels, at));
    const pair = (before << 8) | index;
    const code = codes.get(pair);
    if (code !== undefined) {
      before = code;
      continue;
    }
    put(before);
    if (next === MOST_CODES) {
      put(CLEAR);
      codes.clear();
      [size, next] = [9, END + 1];
    } else {
      if (next >= 1 << size) size += 1;
      codes.set(pair, next++);
    }
    before = index;
  }
  put(before);
  put(END);
  if (bits) bytes.push(held & 255);
  return bytes;
}
