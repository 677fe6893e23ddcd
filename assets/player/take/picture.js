/** A sheet as a picture in pixels, and files for the reader. */

const SHARPNESS = 2; // pixels of a PNG per px of its sheet

/**
 * The sheet as an image that has been read.
 * @param {{text: string}} sheet
 */
export async function imageOf({ text }) {
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @param {{text: string, width: number, height: number}} sheet */
export async function pngOf(sheet) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SHARPNESS * sheet.width, SHARPNESS * sheet.height];
  canvas.getContext("2d")?.drawImage(await imageOf(sheet), 0, 0, canvas.width, canvas.height);
  /** @type {Blob | null} */
  const blob = await new Promise((found) => canvas.toBlob(found, "image/png"));
  if (!blob) throw new Error("it is too large for this browser");
  return blob;
}

/** Hands a file to the reader. */
export function handFile(blob, name) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // a browser may ask where to, and read it only then
}
