/**
 * The camera over the stage: fits the tree when it can, follows what happens when it cannot, and yields to the reader.
 *
 * Dragging pans, Ctrl or a pinch with the wheel zooms, a sideways wheel pans. After that the camera stays where the
 * reader put it until the next round or until Fit.
 */

import { pressButton, setAttribute } from "../../shared/elements.js";
import { say } from "../../shared/words.js";

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 * @typedef {{width: number, height: number}} Room
 * @typedef {Point & {scale: number, fits: boolean, box: Box}} Layout
 */

const MARGIN = 26;

export class Camera {
  /**
   * `picture` is the SVG, which moves as a whole, without being painted again; `world` is what scales in it.
   * @param {HTMLElement} root
   * @param {SVGElement} picture
   * @param {SVGElement} world
   * @param {import("./motion.js").Motion} motion
   */
  constructor(root, picture, world, motion) {
    this.root = root;
    this.motion = motion;
    this.thing = motion.add({ x: 0, y: 0, scale: 1 }, (at) => {
      picture.style.transform = `translate(${Math.round(at.x)}px, ${Math.round(at.y)}px)`;
      setAttribute(world, "transform", `scale(${at.scale.toFixed(3)})`);
    });
    this.held = false; // by the reader
    this.dragged = false;
    /** @type {{layout: Layout, room: Room, origin: Point} | null} */
    this.last = null;
    this.button = pressButton("sp-fit", say("fit"), () => this.fitAll(), { title: say("fit_title"), hidden: "" });
    this.listen();
  }

  /**
   * Turns to a layout, whose 0 is at `origin` in the world. `focus` is the box of what happens now, in the layout's px;
   * `turned` says that a new round began.
   * @param {Layout} layout
   * @param {Box} focus
   * @param {Room} room
   * @param {Point} origin
   * @param {boolean} turned
   */
  aim(layout, focus, room, origin, turned) {
    this.last = { layout, room, origin };
    if (turned) this.held = false;
    this.button.hidden = !this.held && layout.fits;
    if (this.held) return;
    const at = { x: layout.x, y: layout.y, scale: layout.scale };
    const right = at.x + at.scale * focus.right;
    const left = at.x + at.scale * focus.left;
    if (right > room.width - MARGIN) at.x -= Math.min(right - room.width + MARGIN, left - MARGIN);
    if (!layout.fits) {
      const top = at.y + at.scale * focus.top;
      const bottom = at.y + at.scale * focus.bottom;
      const over = 2 * MARGIN;
      if (bottom - top < room.height - 2 * over) {
        if (top < over) at.y += over - top;
        if (bottom > room.height - over) at.y -= bottom - room.height + over;
      }
    }
    this.send(at, origin);
  }

  /** Move the layout's 0 to (x, y) of the stage. @param {Point & {scale: number}} at @param {Point} origin */
  send({ x, y, scale }, origin) {
    this.motion.send(this.thing, { scale, x: x - scale * origin.x, y: y - scale * origin.y });
  }

  /** The whole tree at whatever scale that needs. */
  fitAll() {
    if (!this.last) return;
    const { layout, room, origin } = this.last;
    const { box } = layout;
    const across = (room.width - 2 * MARGIN - 60) / Math.max(box.right, 1);
    const down = (room.height - 2 * MARGIN) / Math.max(box.bottom - box.top, 1);
    const scale = Math.min(1, across, down);
    this.held = true;
    this.send({ scale, x: MARGIN + 60, y: room.height / 2 - (scale * (box.top + box.bottom)) / 2 }, origin);
    this.motion.go(200);
    this.button.hidden = false;
  }

  /** @param {Partial<Point & {scale: number}>} change */
  jump(change) {
    this.held = true;
    this.button.hidden = false;
    Object.assign(this.thing.to, change);
    this.motion.go(0);
  }

  listen() {
    /** @type {{id: number, x: number, y: number, at: import("./motion.js").Numbers} | null} */
    let start = null;
    this.root.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      if (event.button === 0 && event.target instanceof Element && !event.target.closest("button"))
        start = { id: event.pointerId, x: event.clientX, y: event.clientY, at: { ...this.thing.at } };
    });
    this.root.addEventListener("pointermove", (event) => {
      if (!start || event.pointerId !== start.id) return;
      const dx = event.clientX - start.x;
      const dy = event.clientY - start.y;
      if (!this.dragged && Math.hypot(dx, dy) < 6) return;
      if (!this.dragged) this.root.setPointerCapture(event.pointerId);
      this.dragged = true;
      this.root.classList.add("sp-dragging");
      this.jump({ x: start.at.x + dx, y: start.at.y + (event.pointerType === "touch" ? 0 : dy) });
    });
    const end = () => {
      start = null;
      this.root.classList.remove("sp-dragging");
    };
    this.root.addEventListener("pointerup", end);
    this.root.addEventListener("pointercancel", end);
    this.root.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  // A plain vertical wheel stays with the page: a stage that swallows scrolling traps the reader.
  /** @param {WheelEvent} event */
  wheel(event) {
    const at = this.thing.at;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const box = this.root.getBoundingClientRect();
      const x = event.clientX - box.left;
      const y = event.clientY - box.top;
      const scale = Math.min(2.5, Math.max(0.15, at.scale * Math.exp(-0.002 * event.deltaY)));
      const ratio = scale / at.scale;
      this.jump({ scale, x: x - (x - at.x) * ratio, y: y - (y - at.y) * ratio });
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.jump({ x: at.x - (event.deltaX || event.deltaY) });
    }
  }
}
