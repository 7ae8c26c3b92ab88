// Five small plots over time, with a cursor at the moment shown. Dragging in a plot scrubs.

const PLOTS = {
  residual: {
    logarithmic: true,
    series: [(s) => s.residual],
    text: (s) => `${s.residual.toExponential(1).replace("-", "−")}${s.converged ? "" : " not converged"}`,
  },
  iterations: { series: [(s) => s.iterations], text: (s) => `${s.iterations}` },
  energy: {
    series: [(s) => s.kinetic + s.potential, (s) => s.kinetic, (s) => s.potential],
    text: (s) => withUnit(s.kinetic + s.potential, "J"),
    legend: ["total", "kinetic", "potential"],
    unit: "J",
  },
  joints: {
    logarithmic: true,
    series: [(s) => s.jointError, (s) => s.jointAngle],
    text: (s) => `${withUnit(s.jointError, "m")}, ${withUnit(s.jointAngle, "rad")}`,
    legend: ["m", "rad"],
  },
  penetration: { series: [(s) => Math.max(0, s.penetration)], text: (s) => withUnit(Math.max(0, s.penetration), "m"), unit: "m" },
};

const GUTTER = 44; // pixels at the left for the labels of the axis

class Plots {
  constructor(run, onSeek) {
    this.run = run;
    this.plots = Array.from(document.querySelectorAll("#plots figure"), (figure) => {
      const canvas = figure.querySelector("canvas");
      const plot = { ...PLOTS[figure.dataset.plot], name: figure.dataset.plot, canvas, output: figure.querySelector("output"), layer: document.createElement("canvas") };
      canvas.setAttribute("role", "img");
      plot.legend?.forEach((name, k) => {
        const entry = Object.assign(document.createElement("span"), { textContent: name, className: `curve-${k + 1}` });
        plot.output.before(entry);
      });
      const seek = (event) => {
        const box = canvas.getBoundingClientRect();
        onSeek(run.start + clamp((event.clientX - box.left - GUTTER) / (box.width - GUTTER), 0, 1) * (run.end - run.start));
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        seek(event);
      });
      canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
      return plot;
    });
    this.drawn = "";
  }

  /** Shows the plots at `time`; curves are drawn anew only when frames, size or colours changed. */
  show(time, theme) {
    const { run } = this;
    if (!run.frames.length || !this.plots[0].canvas.clientWidth) return;
    const count = run.settings.live ? Math.ceil(run.frames.length / 15) : run.frames.length; // not for every live frame
    const { clientWidth, clientHeight } = this.plots[0].canvas;
    const state = `${theme} ${count} ${run.start} ${clientWidth} ${clientHeight} ${devicePixelRatio}`;
    if (state !== this.drawn) {
      this.drawn = state;
      this.from = run.start;
      this.to = run.end;
      const style = getComputedStyle(document.documentElement);
      this.colors = Object.fromEntries(["curve", "curve-2", "curve-3", "line", "dim", "text"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
      for (const plot of this.plots) this.drawCurves(plot);
    }
    const statistics = run.statistics(run.indexAt(time));
    for (const plot of this.plots) this.drawCursor(plot, time, statistics);
  }

  drawCurves(plot) {
    const ratio = Math.max(1, devicePixelRatio);
    const width = plot.canvas.clientWidth, height = plot.canvas.clientHeight;
    for (const canvas of [plot.canvas, plot.layer]) Object.assign(canvas, { width: width * ratio, height: height * ratio });
    const context = plot.layer.getContext("2d");
    context.scale(ratio, ratio);
    const columns = this.columns(plot, Math.max(2, Math.floor(width) - GUTTER));
    let low = Infinity, high = -Infinity;
    for (const { min, max } of columns) for (let x = 0; x < min.length; x++) if (min[x] <= max[x]) (low = Math.min(low, min[x])), (high = Math.max(high, max[x]));
    if (!(low <= high)) [low, high] = [0, 1];
    if (plot.logarithmic) [low, high] = [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
    else [low, high] = [Math.min(low, 0), high > Math.min(low, 0) ? high : Math.min(low, 0) + 1];
    const y = (value) => 6 + (height - 12) * (1 - (value - low) / (high - low));
    this.drawAxis(context, plot, width, low, high, y);
    context.translate(GUTTER, 0);
    columns.forEach(({ min, max }, k) => {
      context.strokeStyle = this.colors[["curve", "curve-2", "curve-3"][k]];
      context.lineWidth = 1.5;
      context.lineJoin = "round";
      context.beginPath();
      let open = false;
      for (let x = 0; x < min.length; x++) {
        if (!(min[x] <= max[x])) continue; // no frame in this column, or not a number
        if (open) context.lineTo(x, y(max[x])); else context.moveTo(x, y(max[x]));
        if (max[x] > min[x]) context.lineTo(x, y(min[x]));
        open = true;
      }
      context.stroke();
    });
  }

  /** Smallest and largest value of each series in every column of pixels. */
  columns(plot, width) {
    const { run } = this;
    const span = this.to - this.from || 1;
    const columns = plot.series.map(() => ({ min: new Float64Array(width).fill(Infinity), max: new Float64Array(width).fill(-Infinity) }));
    for (let index = 0; index < run.frames.length; index++) {
      const x = Math.round(((run.frames[index].time - this.from) / span) * (width - 1));
      const statistics = run.statistics(index);
      plot.series.forEach((read, k) => {
        const value = plot.logarithmic ? Math.log10(Math.max(read(statistics), 1e-16)) : read(statistics);
        if (!isFinite(value)) return;
        columns[k].min[x] = Math.min(columns[k].min[x], value);
        columns[k].max[x] = Math.max(columns[k].max[x], value);
      });
    }
    return columns;
  }

  drawAxis(context, plot, width, low, high, y) {
    context.fillStyle = this.colors.dim;
    context.strokeStyle = this.colors.line;
    context.lineWidth = 1;
    context.font = "10px system-ui, sans-serif";
    const step = plot.logarithmic ? Math.max(1, Math.ceil((high - low) / 3)) : roundNumber((high - low) / 2);
    let previous = Infinity; // height of the last label
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step; value += step) {
      context.beginPath();
      context.moveTo(GUTTER, Math.round(y(value)) + 0.5);
      context.lineTo(width, Math.round(y(value)) + 0.5);
      context.stroke();
      const label = plot.logarithmic ? `1e${value}`.replace("-", "−") : plot.unit ? withUnit(value, plot.unit, 2) : `${value}`;
      if (previous - y(value) < 13) continue;
      previous = y(value);
      context.textAlign = "right";
      context.textBaseline = "middle";
      context.fillText(label, GUTTER - 5, y(value));
    }
  }

  drawCursor(plot, time, statistics) {
    const text = plot.text(statistics);
    const { canvas, layer, output } = plot;
    const ratio = Math.max(1, devicePixelRatio);
    const share = clamp((time - this.from) / (this.to - this.from || 1), 0, 1);
    const x = Math.round(ratio * GUTTER + share * (canvas.width - ratio * GUTTER - 1));
    const state = `${x} ${text} ${this.drawn}`;
    if (plot.shown === state) return;
    plot.shown = state;
    output.textContent = text;
    canvas.setAttribute("aria-label", `${plot.name} over time: ${text}`);
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(layer, 0, 0);
    context.fillStyle = this.colors.text;
    context.globalAlpha = 0.75;
    context.fillRect(x, 0, Math.round(ratio), canvas.height);
    context.globalAlpha = 1;
  }
}
