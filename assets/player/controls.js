/**
 * The buttons under the stage, the speed, the keys, and the small list of keys.
 *
 * Buttons and keys ask for the same named actions; the player decides what they do.
 */
(function (player) {
  "use strict";

  const { element, say } = player;

  const ICONS = {
    play: "M7 4.5L19 12L7 19.5Z",
    pause: "M7 5H10.5V19H7ZM13.5 5H17V19H13.5Z",
    step_back: "M15.5 5L7 12L15.5 19Z",
    step_forward: "M8.5 5L17 12L8.5 19Z",
    round_back: "M12.5 5L4.5 12L12.5 19ZM20 5L12 12L20 19Z",
    round_forward: "M4 5L12 12L4 19ZM11.5 5L19.5 12L11.5 19Z",
    restart: "M5 5H7.5V19H5ZM19 5L9 12L19 19Z",
    to_end: "M5 5L15 12L5 19ZM16.5 5H19V19H16.5Z",
    next_rejection: "M4 7L6 5L9.5 8.5L13 5L15 7L11.5 10.5L15 14L13 16L9.5 12.5L6 16L4 14L7.5 10.5ZM16.5 5.5L21.5 12L16.5 18.5Z",
  };

  player.Controls = class {
    /** `act` is a table of actions by name: toggle, step_back, ..., speed(number), live, help. */
    constructor(act) {
      this.act = act;
      this.root = element("div", "sp-controls", null, { role: "group", "aria-label": say("controls_label") });
      this.play = this.button("play", () => act.toggle(), "sp-play");
      const moves = element("div", "sp-button-row");
      moves.append(
        this.button("restart", () => act.restart()),
        this.button("round_back", () => act.round_back()),
        this.button("step_back", () => act.step_back()),
        this.play,
        this.button("step_forward", () => act.step_forward()),
        this.button("round_forward", () => act.round_forward()),
        this.button("to_end", () => act.to_end())
      );
      this.speed = element("select", "sp-speed", null, { "aria-label": say("speed"), title: say("speed") });
      for (const speed of player.SPEEDS) this.speed.appendChild(element("option", "", speed + "×", { value: speed }));
      this.speed.addEventListener("change", () => act.speed(Number(this.speed.value)));
      this.live = element("button", "sp-live", say("live"), { type: "button", title: say("live_title"), "aria-pressed": "false", hidden: "" });
      this.live.addEventListener("click", () => act.live());
      this.help = element("button", "sp-button sp-help-button", "?", { type: "button", title: say("help"), "aria-label": say("help") });
      this.help.addEventListener("click", () => act.help());
      const rest = element("div", "sp-button-row sp-rest");
      rest.append(this.button("next_rejection", () => act.next_rejection(), "sp-to-rejection"), this.live, this.speed, this.help);
      this.root.append(moves, rest);
      this.dialog = this.makeHelp();
    }

    button(name, press, className) {
      const button = element("button", "sp-button " + (className || ""), null, { type: "button", title: say(name), "aria-label": say(name), "data-action": name });
      const icon = player.svg("svg", "sp-icon", null, { viewBox: "0 0 24 24", "aria-hidden": "true" });
      icon.appendChild(player.svg("path", "", null, { d: ICONS[name] }));
      button.appendChild(icon);
      button.addEventListener("click", press);
      return button;
    }

    makeHelp() {
      const dialog = element("dialog", "sp-help", null, { "aria-label": say("help_title") });
      const list = element("dl", "sp-keys");
      for (const [keys, what] of player.words.keys) list.append(element("dt", "", keys), element("dd", "", what));
      const close = element("button", "sp-close", say("close"), { type: "button" });
      close.addEventListener("click", () => dialog.close());
      dialog.append(element("h3", "sp-panel-title", say("help_title")), list, element("p", "sp-quiet", say("keys_note")), close);
      return dialog;
    }

    show(playhead) {
      const name = playhead.playing ? "pause" : "play";
      if (this.play.dataset.action !== name) {
        this.play.dataset.action = name;
        this.play.title = say(name);
        this.play.setAttribute("aria-label", say(name));
        this.play.querySelector("path").setAttribute("d", ICONS[name]);
      }
      const speed = String(playhead.speed);
      if (this.speed.value !== speed) this.speed.value = speed;
      this.live.hidden = !playhead.live;
      this.live.setAttribute("aria-pressed", String(playhead.following));
      const at = playhead.cursor;
      const nothing = playhead.steps.length < 2;
      for (const button of this.root.querySelectorAll(".sp-button[data-action]:not(.sp-play)")) {
        const back = /back|restart/.test(button.dataset.action);
        const forward = /forward|to_end|rejection/.test(button.dataset.action);
        // aria-disabled and not disabled: a button that loses focus while it is pressed loses the keyboard reader.
        player.set(button, "aria-disabled", nothing || (back && at === 0) || (forward && at >= playhead.last));
      }
    }
  };

  const KEYS = {
    " ": "toggle", k: "toggle", ",": "step_back", ".": "step_forward", n: "next_rejection",
    ArrowLeft: "step_back", ArrowRight: "step_forward", Home: "restart", End: "to_end",
    "[": "slower", "]": "faster", "?": "help", Escape: "release", l: "open_in_lab",
  };

  /** The action a key asks for on the focused player, or null: keys typed into a field or meant for a button are theirs. */
  player.actionOf = function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    const target = event.target;
    const kind = target.tagName;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isRange = kind === "INPUT" && target.type === "range";
    if ((kind === "INPUT" && !isRange) || kind === "TEXTAREA" || kind === "SELECT" || target.isContentEditable) return null;
    if (target.closest("dialog")) return null;
    if (isRange && /^(Arrow|Home|End|Page)/.test(key) && !event.shiftKey) return null;
    if ((kind === "BUTTON" || kind === "SUMMARY") && key === " ") return null;
    if (event.shiftKey && key === "ArrowLeft") return "round_back";
    if (event.shiftKey && key === "ArrowRight") return "round_forward";
    return Object.hasOwn(KEYS, key) ? KEYS[key] : null;
  };
})((window.specPlayer = window.specPlayer || {}));
