/**
 * The buttons, the scrubber, the pace and the keys of a replay. They ask for named actions; the replay carries them out.
 */
(function (race, player) {
  "use strict";

  const { element, say } = player;

  const ICONS = {
    play: "M7 4.5L19 12L7 19.5Z",
    pause: "M7 5H10.5V19H7ZM13.5 5H17V19H13.5Z",
    back: "M15.5 5L7 12L15.5 19Z",
    forward: "M8.5 5L17 12L8.5 19Z",
    restart: "M5 5H7.5V19H5ZM19 5L9 12L19 19Z",
    to_end: "M5 5L15 12L5 19ZM16.5 5H19V19H16.5Z",
  };
  const NAMES = { play: "play", pause: "pause", back: "replay_back", forward: "replay_forward", restart: "restart", to_end: "to_end" };

  race.Controls = class {
    /** `act` is a table of actions: toggle, back, forward, restart, to_end, goto(seconds), pace(slow), help. */
    constructor(act) {
      this.marks = player.svg("svg", "sr-marks", null, { preserveAspectRatio: "none", viewBox: "0 0 1000 14", height: 14, "aria-hidden": "true" });
      this.range = element("input", "sp-range", null, { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": say("replay_position") });
      this.range.addEventListener("input", () => act.goto(Number(this.range.value) / 1000));
      this.timeline = element("div", "sr-timeline", null, {}, [this.marks, this.range]);

      this.play = this.button("play", act.toggle, "sp-play");
      const moves = element("div", "sp-button-row", null, {}, [
        this.button("restart", act.restart), this.button("back", act.back), this.play, this.button("forward", act.forward), this.button("to_end", act.to_end),
      ]);
      this.time = element("p", "sr-time");
      this.pace = element("select", "sp-speed sr-pace", null, { "aria-label": say("replay_slow"), title: say("replay_slow") });
      for (const slow of race.PACES) this.pace.append(element("option", "", slow === 1 ? say("replay_slow_1") : say("replay_slow_n", { slow }), { value: slow }));
      this.pace.addEventListener("change", () => act.pace(Number(this.pace.value)));
      const help = element("button", "sp-button sp-help-button", "?", { type: "button", title: say("help"), "aria-label": say("help") });
      help.addEventListener("click", act.help);
      const rest = element("div", "sp-button-row sp-rest", null, {}, [this.time, this.pace, help]);
      this.row = element("div", "sp-controls", null, { role: "group", "aria-label": say("controls_label") }, [moves, rest]);
      this.root = element("div", "sr-controls", null, {}, [this.timeline, this.row]);
      this.dialog = this.makeHelp();
    }

    button(name, press, className) {
      const button = element("button", "sp-button " + (className || ""), null, { type: "button", title: say(NAMES[name]), "aria-label": say(NAMES[name]), "data-action": name });
      const icon = player.svg("svg", "sp-icon", null, { viewBox: "0 0 24 24", "aria-hidden": "true" });
      icon.appendChild(player.svg("path", "", null, { d: ICONS[name] }));
      button.appendChild(icon);
      button.addEventListener("click", press);
      return button;
    }

    makeHelp() {
      const dialog = element("dialog", "sp-help", null, { "aria-label": say("help_title") });
      const list = element("dl", "sp-keys");
      for (const [keys, what] of player.words.replay_keys) list.append(element("dt", "", keys), element("dd", "", what));
      const close = element("button", "sp-close", say("close"), { type: "button" });
      close.addEventListener("click", () => dialog.close());
      dialog.append(element("h3", "sp-panel-title", say("help_title")), list, element("p", "sp-quiet", say("replay_keys_note")), close);
      return dialog;
    }

    /** The lanes' finishes as marks above the scrubber. */
    mark(lanes, length) {
      player.empty(this.marks);
      this.range.max = Math.ceil(length * 1000);
      for (const lane of lanes) {
        if (!lane.run || !length) continue;
        const x = (1000 * lane.seconds) / length;
        const mark = player.svg("path", "sr-mark", null, { d: `M${x.toFixed(1)} 1V14` });
        mark.append(player.svg("title", "", say("replay_finish", { title: lane.data.title, seconds: race.seconds(lane.seconds) })));
        this.marks.append(mark);
      }
    }

    show(clock) {
      const name = clock.playing ? "pause" : "play";
      if (this.play.dataset.action !== name) {
        this.play.dataset.action = name;
        this.play.title = say(name);
        this.play.setAttribute("aria-label", say(name));
        this.play.querySelector("path").setAttribute("d", ICONS[name]);
      }
      const told = say("replay_time", { now: race.seconds(clock.now), length: race.seconds(clock.length) });
      player.setText(this.time, told);
      this.range.value = clock.now >= clock.length ? this.range.max : Math.round(clock.now * 1000);
      this.range.style.setProperty("--sp-share", (clock.length ? (100 * clock.now) / clock.length : 0) + "%");
      player.set(this.range, "aria-valuetext", told);
      if (this.pace.value !== String(clock.slow)) this.pace.value = String(clock.slow);
      for (const button of this.row.querySelectorAll(".sp-button[data-action]:not(.sp-play)")) {
        const back = /back|restart/.test(button.dataset.action);
        player.set(button, "aria-disabled", !clock.length || (back ? clock.now <= 0 : clock.now >= clock.length));
      }
    }
  };

  const KEYS = {
    " ": "toggle", k: "toggle", ",": "back", ".": "forward", ArrowLeft: "back", ArrowRight: "forward", Home: "restart", End: "to_end",
    "[": "slower", "]": "faster", "?": "help",
  };

  /** The action a key asks for, or null: keys typed into a field, meant for a button or for scrolling a text are theirs. */
  race.actionOf = function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    const { target } = event;
    const kind = target.tagName;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isRange = kind === "INPUT" && target.type === "range";
    if ((kind === "INPUT" && !isRange) || kind === "SELECT" || target.closest("dialog")) return null;
    if (/^(Arrow|Home|End|Page)/.test(key) && (isRange || target.closest(".sr-text")) && !event.shiftKey) return null;
    if (kind === "BUTTON" && key === " ") return null;
    if (event.shiftKey && key === "ArrowLeft") return "leap_back";
    if (event.shiftKey && key === "ArrowRight") return "leap_forward";
    return Object.hasOwn(KEYS, key) ? KEYS[key] : null;
  };
})((window.specRace = window.specRace || {}), window.specPlayer);
