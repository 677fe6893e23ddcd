/**
 * A race's results: mounts the sentences, the replay, the table and the chart into a host.
 *
 *   const r = specRace.mount(host, {plotly, choosePrompt(place), watchRun(label, place), explainRow(label)});
 *   r.show(value); r.pause(); r.save("png" or "svg"); r.replay; r.standings
 */
(function (race, player) {
  "use strict";

  const { element, say } = player;
  const NARROW = 700; // px of width below which the phone's layout applies
  const PICTURE = { width: 960, scale: 2 }; // of a saved chart

  class Race {
    constructor(host, wishes) {
      this.wishes = wishes;
      this.value = null;
      this.verdict = element("ul", "sr-verdict", null, { "aria-label": say("race_verdict") });
      this.conditions = element("p", "sp-quiet");
      this.replay = new race.Replay({
        watch: (label) => wishes.watchRun(label, this.value.place),
        choose: (place) => wishes.choosePrompt(place),
      });
      this.beside = new race.Beside();
      this.standings = new race.Standings((label) => wishes.explainRow(label));
      this.charts = new player.Charts();
      this.empty = element("div", "sr-empty", null, {}, [element("p", "sp-waiting-title", say("race_empty")), element("p", "sp-quiet", say("race_empty_hint"))]);
      const told = element("section", "sr-told", null, {}, [this.verdict, this.conditions]);
      this.full = element("div", "sr-full", null, { hidden: "" }, [told, this.beside.root, this.replay.root, this.standings.root, this.charts.root]);
      this.root = element("div", "spec-player spec-race", null, {}, [this.empty, this.full]);
      if (!host.closest(".gradio-container, gradio-app")) this.root.dataset.scheme = "auto";
      player.empty(host);
      host.appendChild(this.root);
      const measure = () => this.root.classList.toggle("sp-narrow", this.root.clientWidth > 0 && this.root.clientWidth < NARROW);
      if (window.ResizeObserver) new ResizeObserver(measure).observe(this.root);
      measure();
    }

    /** The server's value: a race that is new is drawn whole, another prompt of the same one only in the replay. */
    show(value) {
      if (!value || !value.race) return;
      const before = this.value;
      const isNew = !before || before.race !== value.race;
      this.value = value;
      if (isNew) {
        this.empty.hidden = true;
        this.full.hidden = false;
        player.empty(this.verdict);
        for (const sentence of value.verdict) this.verdict.append(element("li", "", player.legible(sentence)));
        player.setText(this.conditions, value.conditions);
        this.beside.show(value.beside || null, (draw) => this.withPlotly(draw));
        this.standings.load(value.standings);
        this.withPlotly(() => this.charts.set([this.chartFor(value.chart)]));
        if (player.session) race.measured(value).forEach((run) => player.session.add(run)); // none where only races are shown
      }
      if (isNew || before.place !== value.place) {
        this.replay.load(value.lanes, value.prompts, value.place, value.lanes_note || "");
        this.replay.play();
      }
    }

    /** On a phone names stand above their points, where they take no room from them. */
    chartFor(chart) {
      if (!this.root.classList.contains("sp-narrow")) return chart;
      const { layout } = chart.figure;
      const count = (layout.yaxis?.categoryarray || []).length;
      const tickfont = { color: getComputedStyle(this.root).color };
      const yaxis = { ...layout.yaxis, ticklabelposition: "inside top", automargin: false, tickfont, range: [-0.5, count - 0.1] };
      const changed = { yaxis, height: layout.height + 8 * count, margin: { ...layout.margin, l: 8 } };
      return { ...chart, figure: { ...chart.figure, layout: { ...layout, ...changed } } };
    }

    /** Nothing moves: for a page that is about to measure. */
    pause() {
      this.replay.pause();
    }

    /** Plotly is large: it is fetched when the first chart is drawn, and without it the chart is a table. */
    withPlotly(draw) {
      if (window.Plotly || !this.wishes.plotly) return draw();
      let script = document.querySelector("script[data-plotly]");
      if (!script) {
        script = element("script", "", null, { src: this.wishes.plotly, "data-plotly": "" });
        document.head.appendChild(script);
      }
      script.addEventListener("load", draw);
      script.addEventListener("error", draw);
    }

    /** Saves the chart on white, whatever the page's theme. */
    async save(form) {
      if (!this.value || !window.Plotly) return;
      const { figure } = this.value.chart;
      const layout = { ...figure.layout, ...this.value.paper };
      const address = await window.Plotly.toImage({ data: figure.data, layout }, { format: form, height: layout.height, ...PICTURE });
      const link = element("a", "", null, { href: address, download: "speed-up." + form });
      link.click();
    }
  }

  /** Mounts a race into a host element; a second call returns the same one. */
  race.mount = function (host, wishes) {
    if (!host.specRace) host.specRace = new Race(host, wishes || {});
    return host.specRace;
  };
})((window.specRace = window.specRace || {}), window.specPlayer);
