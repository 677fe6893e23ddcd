/** As much of a browser's document as small parts of the page need, for Node.js. */

class Part {
  constructor(name) {
    Object.assign(this, { name, attributes: {}, children: [], listeners: {}, dataset: {}, hidden: false });
    this.style = {
      setProperty(key, value) {
        this[key] = value;
      },
    };
    this.own = "";
  }

  set textContent(text) {
    this.own = text;
    this.children = [];
  }

  get textContent() {
    return this.own + this.children.map((child) => child.textContent ?? child).join("");
  }

  setAttribute(key, value) {
    this.attributes[key] = value;
    if (key.startsWith("data-")) this.dataset[key.slice(5)] = value;
  }

  getAttribute(key) {
    return this.attributes[key] ?? null;
  }

  removeAttribute(key) {
    delete this.attributes[key];
  }

  /** A part stands nowhere. */
  closest() {
    return null;
  }

  append(...children) {
    this.children.push(...children);
  }

  appendChild(child) {
    this.children.push(child);
    return child;
  }

  replaceChildren(...children) {
    this.own = "";
    this.children = children;
  }

  /** By a class: `.learn-title`. */
  querySelector(selector) {
    return this.all().find((part) => part.attributes.class?.split(" ").includes(selector.slice(1))) ?? null;
  }

  all() {
    return this.children.filter((child) => child instanceof Part).flatMap((child) => [child, ...child.all()]);
  }

  addEventListener(type, heard) {
    this.listeners[type] = heard;
  }

  send(type, event = {}) {
    return this.listeners[type]({ preventDefault() {}, ...event });
  }

  focus() {
    document.activeElement = this;
  }

  /** A canvas, in whose font every letter is 6 px wide. */
  getContext() {
    return { measureText: (text) => ({ width: 6 * text.length }) };
  }

  showPopover() {
    this.send("toggle", { newState: "open" });
  }

  hidePopover() {
    this.send("toggle", { newState: "closed" });
  }
}

const location = new URL("http://localhost/");
globalThis.window = /** @type {any} */ ({ location });
globalThis.document = {
  createElement: (name) => new Part(name),
  createElementNS: (_, name) => new Part(name),
  getElementById: () => null,
  activeElement: null,
};
