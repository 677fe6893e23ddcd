/**
 * A race's results: mounts the sentences, the replay, the table and the chart into a host.
 *
 *   const r = specRace.mount(host, {plotly, choosePrompt(place), watchRun(label, place), explainRow(label)});
 *   r.show(value); r.pause(); r.save("png" or "svg"); r.replay; r.standings
 */
(function (race, player) {
  "use strict";

  const { element, say } = player;
  const PICTURE = { width: 960, scale: 2 }; // of a saved chart

  class Race extends player.Results {
    constructor(host, wishes) {
      super(host, wishes, "race");
      this.verdict = element("ul", "sr-verdict", null, { "aria-label": say("race_verdict") });
      this.conditions = element("p", "sp-quiet");
      this.replay = new race.Replay({
        watch: (label) => wishes.watchRun(label, this.value.place),
        choose: (place) => wishes.choosePrompt(place),
      });
      this.beside = new race.Beside();
      this.standings = new race.Standings((label) => wishes.explainRow(label));
      this.charts = new player.Charts();
      const told = element("section", "sr-told", null, {}, [this.verdict, this.conditions]);
      this.full.append(told, this.beside.root, this.replay.root, this.standings.root, this.charts.root);
    }

    /** The server's value: a race that is new is drawn whole, another prompt of the same one only in the replay. */
    show(value) {
      if (!value || !value.race) return;
      const before = this.value;
      const isNew = !before || before.race !== value.race;
      this.value = value;
      if (isNew) {
        this.begin();
        player.empty(this.verdict);
        for (const sentence of value.verdict) this.verdict.append(element("li", "", player.legible(sentence)));
        player.setText(this.conditions, value.conditions);
        const draw = (charts) => player.withPlotly(this.wishes.plotly, charts);
        this.beside.show(value.beside || null, draw);
        this.standings.load(value.standings);
        draw(() => this.charts.set([this.chartFor(value.chart)]));
        if (player.session) race.measured(value).forEach((run) => player.session.add(run)); // none where only races are shown
      }
      if (isNew || before.place !== value.place) {
        this.replay.load(value.lanes, value.prompts, value.place, value.lanes_note || "");
        this.replay.play();
      }
    }

    rearrange() {
      if (this.value && window.Plotly) this.charts.set([this.chartFor(this.value.chart)]);
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

  race.mount = (host, wishes) => Race.mount(host, wishes);
})((window.specRace = window.specRace || {}), window.specPlayer);
