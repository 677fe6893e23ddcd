/**
 * Which tuft is open. One at most: it opens when it is pointed at or focused, or when one of its nodes is judged or
 * marked, and closes when that is over. What it represents then takes its place in the tree, and other nodes fold for
 * it.
 */

const PAUSE_MS = 160; // ms a pointer rests before a tuft opens: one that only passes by leaves everything where it is
const GLIDE = 280; // ms

/** @typedef {import("../trace/records.js").TreeNode} TreeNode */
/** @typedef {"pointer" | "focus" | "mark" | "step"} Reason */
/** @typedef {import("../trace/records.js").Step} Step */
/** @typedef {import("./layout.js").Tuft} Tuft */
/** @typedef {{parent: number, keys: Set<number>, by: Reason, round: object | null}} Opened */

export class Tufts {
  /**
   * `tree` is the stage; `at` are its callbacks.
   * @param {import("./tree.js").Tree} tree
   * @param {{point: (node: TreeNode | null) => void, pick: (node: TreeNode | null) => void}} at
   */
  constructor(tree, at) {
    this.tree = tree;
    this.at = at;
    /** @type {Opened | null} */
    this.opened = null;
    /** @type {TreeNode | null} */
    this.marked = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.moving = false;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.listening = new AbortController(); // to the whole page
    this.listen(tree.root);
  }

  /** The stage is taken away for good. */
  remove() {
    this.listening.abort();
  }

  /** The key of the node whose tuft an event is about, or null. @param {Event} event */
  parentAt(event) {
    const group = event.target instanceof Element ? event.target.closest(".sp-tuft") : null;
    return group ? Number(group.getAttribute("data-parent")) : null;
  }

  /** @param {HTMLElement} stage */
  listen(stage) {
    const parentAt = (/** @type {Event} */ event) => this.parentAt(event);
    let wasOpen = false; // before the press that now ends in a click
    stage.addEventListener("pointerover", (event) => {
      const parent = parentAt(event);
      if (event.pointerType === "touch" || parent === null) return;
      if (!this.opened || this.opened.parent !== parent) this.soon(() => this.open(parent, "pointer"));
    });
    stage.addEventListener("pointerout", (event) => parentAt(event) !== null && clearTimeout(this.timer));
    const onLeave = () => this.opened?.by === "pointer" && this.close();
    stage.addEventListener("pointerleave", onLeave);
    // Nothing is left, says Chromium, where what was pointed at has been taken from the page meanwhile.
    const { signal } = this.listening;
    document.addEventListener(
      "pointerover",
      (event) => event.target instanceof Node && !stage.contains(event.target) && onLeave(),
      { signal },
    );
    stage.addEventListener("pointerdown", (event) => {
      wasOpen = this.opened !== null && this.opened.parent === parentAt(event) && this.opened.by === "focus";
    });
    stage.addEventListener("focusin", (event) => {
      const parent = parentAt(event);
      if (parent === null) return;
      if (this.opened?.parent === parent) this.opened.by = "focus";
      else this.open(parent, "focus");
    });
    stage.addEventListener("focusout", () => this.opened?.by === "focus" && !this.moving && this.close());
    stage.addEventListener("click", (event) => {
      const parent = parentAt(event);
      if (parent !== null && wasOpen && !this.tree.camera.dragged) this.turn(parent);
    });
    stage.addEventListener("keydown", (event) => {
      const parent = parentAt(event);
      if (parent !== null && this.key(event.key, parent)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
  }

  /** Returns whether the key meant something to the focused tuft. @param {string} key @param {number} parent */
  key(key, parent) {
    if (key === "Enter" || key === " ") this.turn(parent);
    else if (key === "Escape" && this.opened) this.close();
    else if (key === "ArrowDown" || key === "ArrowUp") this.walk(key === "ArrowDown" ? 1 : -1);
    else return false;
    return true;
  }

  /** Through the nodes of the open tuft, one after the other. @param {1 | -1} by */
  walk(by) {
    const { layout } = this.tree;
    if (!this.opened || !layout) return;
    const shown = layout.nodes.filter((item) => this.opened?.keys.has(item.key)).map((item) => item.node);
    if (shown.length)
      this.at.point(
        shown[(shown.indexOf(this.marked) + by + shown.length + (this.marked ? 0 : by < 0 ? 1 : 0)) % shown.length],
      );
  }

  /**
   * Opens the tuft below a node, or what of it there was no room for; closes it when all of it has been shown.
   * @param {number} parent
   */
  turn(parent) {
    const tuft = this.tuftOf(parent);
    if (this.opened?.parent === parent && !(tuft && tuft.keys.length)) this.close();
    else this.open(parent, "focus");
  }

  /** @param {number} parent */
  tuftOf(parent) {
    return this.tree.layout ? this.tree.layout.tufts.find((tuft) => tuft.parent === parent) : undefined;
  }

  /**
   * @param {number} parent
   * @param {Reason} by
   * @param {TreeNode} [node] the one to be shown first where there is no room for all
   */
  open(parent, by, node) {
    const tuft = this.tuftOf(parent);
    if (tuft && tuft.keys.length) this.set(this.openedAt(tuft, by, this.tree.step?.round ?? null, node));
  }

  /** @param {Tuft} tuft @param {Reason} by @param {object | null} round @param {TreeNode} [node] @returns {Opened} */
  openedAt({ parent, keys }, by, round, node) {
    return { parent, keys: new Set(node ? keys.slice(keys.indexOf(node.key)) : keys), by, round };
  }

  close() {
    this.set(null);
  }

  /** @param {Opened | null} opened */
  set(opened) {
    clearTimeout(this.timer);
    if (opened === this.opened) return;
    const before = this.opened;
    this.opened = opened;
    if (!opened && before?.by === "focus") this.at.point(null); // to which node the arrows had come
    this.moving = true; // what had the focus may be taken from the page: that is no wish to close
    this.tree.again(this.still.matches ? 0 : GLIDE);
    this.moving = false;
  }

  /** @param {() => void} work */
  soon(work) {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, PAUSE_MS);
  }

  /**
   * Another round has nothing of the tuft that was open; a node that is judged is seen. Called before a step is drawn.
   * @param {Step} step
   */
  follow(step) {
    const isOver = step.kind === "committed" || step.kind === "finished";
    const isPast = this.opened && (this.opened.round !== step.round || (this.opened.by === "step" && isOver));
    if (isPast) this.opened = null;
    const { verdict, round } = step;
    const isTested = verdict && round && verdict.outcome !== "not_tested";
    if (!isTested || (this.opened && this.opened.by !== "step")) return;
    const tuft = this.holding(verdict.node, step);
    if (tuft) this.opened = this.openedAt(tuft, "step", round, verdict.node);
  }

  /** The tuft that a node is folded into now. @param {TreeNode} node @param {Step} step */
  holding(node, step) {
    return this.tree
      .layoutOf(/** @type {import("../trace/trace.js").Trace} */ (this.tree.trace), step)
      .tufts.find((tuft) => tuft.keys.includes(node.key));
  }

  /**
   * The node that all panels speak of: it is never left folded. Several in quick succession open nothing.
   * @param {TreeNode | null} node
   */
  mark(node) {
    if (node === this.marked) return;
    this.marked = node;
    const by = this.opened?.by;
    if (by === "pointer" || by === "focus") return;
    const tuft = node && this.tree.layout?.tufts.find((each) => each.keys.includes(node.key));
    if (tuft) this.soon(() => this.open(tuft.parent, "mark", node));
    else if (by === "mark" && !(node && this.opened?.keys.has(node.key))) this.soon(() => this.close());
  }

  /** A tuft that is taken from the page hands its focus to the player. @param {Element} root */
  leave(root) {
    /** @type {HTMLElement | null} */
    const around = root.contains(document.activeElement) ? this.tree.root.closest("[tabindex]") : null;
    if (around) around.focus();
  }

  forget() {
    clearTimeout(this.timer);
    this.opened = null;
    this.marked = null;
  }
}
