// Brings the parts together: options, actions, the loop that draws.

const TOGGLES = ["contacts", "forces", "wireframe", "colliders", "stress", "grid", "plots"];

class App {
  constructor(run) {
    this.run = run;
    this.view = document.getElementById("view");
    this.options = { contacts: true, forces: false, wireframe: false, colliders: false, stress: true, grid: true, plots: innerHeight > 560 && innerWidth > 760 };
    this.camera = new Camera();
    this.timeline = new Timeline(run);
    this.moment = new Moment(run);
    this.renderer = new Renderer(this.view, run);
    this.plots = new Plots(run, (time) => this.seek(time));
    this.inspector = new Inspector(run, (index) => this.select(index));
    this.zoom = 1; // how much nearer than the whole scene, until the user chooses
    this.following = null; // a body and the camera's offset from it
    this.quality = this.renderer.inSoftware ? 3 : 1; // index into QUALITIES while things move
    this.bestQuality = 0;
    this.durations = []; // of recent pictures, s
    this.measuring = false;
    this.pictures = 0;
    this.stale = true; // poses have to be taken over again

    this.bounds = sceneBounds(run);

    this.connectControls();
    this.measure();
    this.setTheme(matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
    this.writeFacts();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.timeline.playing = !run.settings.live && !still;
    this.applyHash();
    this.showToggles();
    this.invalidate();
  }

  connectControls() {
    listenToKeys(this);
    listenToPointers(this);
    fillHelp(document.getElementById("keys"));
    const scale = SCALE_COLORS.map((color) => `rgb(${color})`).join(", ");
    document.querySelector("#stress-legend i").style.background = `linear-gradient(to right, ${scale})`;
    addEventListener("resize", () => this.measure());
    new ResizeObserver(() => this.measure()).observe(this.view);
    addEventListener("hashchange", () => this.applyHash());
    for (const button of document.querySelectorAll("[data-toggle], [data-action]")) {
      button.addEventListener("click", (event) => {
        this.act(button.dataset.toggle || button.dataset.action);
        if (event.detail > 0) button.blur(); // clicked by a pointer: the space bar goes on to mean play
      });
    }
    const { scrub, speed } = this.timeline.elements;
    scrub.addEventListener("input", () => this.seek(this.run.start + scrub.value * (this.run.end - this.run.start)));
    speed.addEventListener("change", () => (this.timeline.speed = Number(speed.value)));
    this.inspector.follow.addEventListener("change", () => this.setFollowing(this.inspector.follow.checked));
    const forceScale = document.getElementById("force-scale");
    forceScale.addEventListener("input", () => {
      this.renderer.contacts.exponent = Number(forceScale.value);
      this.showToggles();
      this.invalidate();
    });
    this.view.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      showMessage("The graphics card was reset. Reload the page to go on.");
    });
  }

  /** Everything a button or key can ask for. */
  act(action) {
    const { timeline } = this;
    if (TOGGLES.includes(action)) this.toggle(action, !this.options[action]);
    else {
      ({
        play: () => timeline.toggle(),
        previous: () => timeline.step(-1),
        next: () => timeline.step(1),
        live: () => timeline.follow(),
        frame: () => this.frameScene(),
        theme: () => this.setTheme(this.theme === "dark" ? "light" : "dark"),
        help: () => document.getElementById("help").showModal(),
        "close-help": () => document.getElementById("help").close(),
        deselect: () => this.select(null),
        follow: () => this.setFollowing(!this.following),
        panels: () => (document.documentElement.dataset.ui = document.documentElement.dataset.ui === "0" ? "1" : "0"),
      })[action]?.();
    }
    this.invalidate();
  }

  toggle(option, on) {
    this.options[option] = on;
    this.stale = true;
    this.showToggles();
    this.invalidate();
  }

  showToggles() {
    const { options } = this;
    for (const name of TOGGLES) document.getElementById(`tool-${name}`).setAttribute("aria-pressed", options[name]);
    document.getElementById("plots").hidden = !options.plots;
    document.getElementById("legend").hidden = !options.contacts && !options.forces;
    const { deformables } = this.renderer;
    deformables.examine();
    this.shownStress = deformables.stressScale;
    document.getElementById("tool-stress").hidden = !deformables.stressScale;
    document.getElementById("stress-legend").hidden = !deformables.stressScale || !options.stress;
    document.getElementById("stress-most").textContent = withUnit(deformables.stressScale, "Pa", 2);
    document.getElementById("force-scale-label").hidden = !options.forces;
    const slider = document.getElementById("force-scale");
    slider.style.setProperty("--fill", `${25 * (Number(slider.value) + 2)}%`);
    this.renderer.contacts.examine();
    const scale = this.renderer.contacts.metresPerNewton(this.bounds.radius);
    const newtons = roundNumber((0.3 * this.bounds.radius) / scale);
    document.getElementById("force-scale-text").textContent = `arrow ${withUnit(newtons * scale, "m", 2)} ≙ ${withUnit(newtons, "N", 1)}`;
  }

  setTheme(name) {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    this.renderer.setTheme(name);
    this.invalidate();
  }

  /** What is asked for behind the `#` of the address; see the README. */
  applyHash() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const number = (name) => (asked.has(name) && isFinite(asked.get(name)) ? Number(asked.get(name)) : null);
    if (["dark", "light"].includes(asked.get("theme"))) this.setTheme(asked.get("theme"));
    if (asked.has("ui")) document.documentElement.dataset.ui = asked.get("ui");
    for (const name of TOGGLES) if (asked.has(name)) this.toggle(name, asked.get(name) !== "0");
    this.measure();
    for (const name of ["yaw", "pitch"]) if (number(name) !== null) this.camera[name] = (number(name) * Math.PI) / 180;
    this.zoom = clamp(number("zoom") ?? 1, 0.01, 100);
    this.camera.touched = false;
    this.frameUntouched();
    const target = asked.get("target")?.split(",").map(Number);
    if (target?.length === 3 && target.every(isFinite)) Object.assign(this.camera, { target, touched: true });
    if (number("distance") > 0) Object.assign(this.camera, { distance: number("distance"), touched: true });
    this.fixedQuality = number("quality") === null ? null : clamp(Math.round(number("quality")), 0, QUALITIES.length - 1);
    if (this.fixedQuality !== null) this.quality = this.fixedQuality;
    if (number("speed") !== null) this.timeline.setSpeed(number("speed"));
    if (number("t") !== null) {
      this.timeline.seek(number("t"));
      this.timeline.playing = false;
    }
    if (asked.has("play")) this.timeline.playing = asked.get("play") !== "0";
    if (asked.has("select")) {
      const index = Array.from({ length: this.inspector.count }, (_, k) => this.run.nameOf(k)).indexOf(asked.get("select"));
      this.select(index < 0 ? null : index);
      if (asked.get("follow") === "1") this.setFollowing(true);
    }
    this.invalidate();
  }

  writeFacts() {
    const { header, settings } = this.run;
    document.getElementById("scene").textContent = header.scene || "Untitled scene";
    const facts = [header.solver, `Δt ${withUnit(header.time_step, "s")}`, `${header.bodies.length} ${header.bodies.length === 1 ? "body" : "bodies"}`];
    if (header.deformables.length) facts.push(`${header.deformables.length} deformable${header.deformables.length === 1 ? "" : "s"}`);
    if (settings.stride > 1) facts.push(`1 of ${settings.stride} frames`);
    document.getElementById("facts").textContent = facts.filter(Boolean).join(" · ");
  }

  writeNow() {
    if (!this.moment.frame) return;
    const s = this.run.statistics(this.moment.index);
    const text = `${s.contacts} contacts · ${s.rows} rows · ${s.islands} islands · step ${withUnit(s.stepTime, "s")}`;
    const element = document.getElementById("now");
    if (element.textContent !== text) element.textContent = text;
  }

  measure() {
    this.camera.width = Math.max(1, this.view.clientWidth);
    this.camera.height = Math.max(1, this.view.clientHeight);
    this.frameUntouched();
    this.invalidate();
  }

  seek(time) {
    this.timeline.seek(time);
    this.timeline.playing = false;
    this.invalidate();
  }

  /** Keeps the whole scene in view as long as the user has not chosen a view. */
  frameUntouched() {
    if (this.camera.touched || this.camera.goal) return;
    const view = this.camera.framed(this.bounds);
    this.camera.goTo({ ...view, distance: view.distance / this.zoom }, true);
  }

  frameScene() {
    this.bounds = sceneBounds(this.run);
    this.camera.touched = false;
    this.zoom = 1;
    this.setFollowing(false);
    this.camera.goTo({ ...this.camera.framed(this.bounds, DEFAULT_YAW, DEFAULT_PITCH), yaw: DEFAULT_YAW, pitch: DEFAULT_PITCH });
  }

  pick(x, y) { return this.renderer.pick(this.camera, this.options, Math.round(x), Math.round(y)); }

  select(index) {
    if (this.following && this.following.body !== index) this.setFollowing(false);
    this.inspector.select(index);
    this.invalidate();
  }

  selectNext(step) {
    const { selected, count } = this.inspector;
    if (count) this.select(selected === null ? (step > 0 ? 0 : count - 1) : (selected + step + count) % count);
  }

  /** Where the selected body is; a deformable is where its middle node is. */
  placeOf(index) {
    if (index < this.run.bodies) return this.moment.position(index);
    const batch = this.renderer.deformables.batches[index - this.run.bodies];
    const at = 3 * (batch.first + (batch.nodes >> 1));
    return Array.from(this.moment.nodes.subarray(at, at + 3));
  }

  lookAtSelected() {
    const { selected } = this.inspector;
    if (selected === null) return;
    const radius = selected < this.run.bodies ? bodyRadius(this.run.header, this.run.header.bodies[selected]) : 0;
    const around = [[0, 0, 0], 2.5 * (radius || this.bounds.radius / 4)];
    const { distance } = this.camera.framed({ center: around[0], spheres: [around] });
    this.setFollowing(false);
    this.camera.touched = true;
    this.camera.goTo({ target: this.placeOf(selected), distance: Math.min(distance, this.camera.distance) });
    this.invalidate();
  }

  setFollowing(on) {
    const { selected } = this.inspector;
    this.following = on && selected !== null ? { body: selected, offset: [0, 0, 0] } : null;
    this.inspector.follow.checked = this.following !== null;
    this.invalidate();
  }

  /** The user moved the view while following: keep the new offset. */
  moveFollowing() {
    if (this.following) this.following.offset = subtract(this.camera.target, this.placeOf(this.following.body));
  }

  invalidate() {
    this.dirty = true;
    this.schedule();
  }

  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  tick(now) {
    this.scheduled = false;
    const seconds = clamp((now - (this.last ?? now)) / 1000, 0, 0.25);
    const wasMoving = this.moving;
    this.last = now;
    const moved = this.timeline.advance(this.moving ? seconds : 0);
    const gliding = this.camera.glide(wasMoving ? seconds : 0.016);
    this.moving = this.timeline.playing || this.timeline.following || gliding;
    const first = this.pictures === 0 && !this.moving && this.fixedQuality === null; // of a page that stands still
    if (moved || this.dirty || gliding) {
      const begin = performance.now();
      this.draw(QUALITIES[first ? 0 : this.quality]);
      const ordered = (performance.now() - begin) / 1000;
      if (!first && !this.measuring) {
        this.measuring = true;
        this.renderer.whenDone((waited) => {
          this.measuring = false;
          this.adaptQuality(ordered + waited);
        });
      }
    }
    this.dirty = false;
    if (this.moving && !(this.timeline.following && !gliding)) this.schedule();
    this.polishLater();
  }

  /** Standing still: once more better, then as well as possible. */
  polishLater() {
    clearTimeout(this.polish);
    if (this.moving || this.fixedQuality !== null) return;
    const better = Math.min(this.quality, 2);
    this.polish = setTimeout(() => {
      if (this.quality > better) this.draw(QUALITIES[better]);
      this.polish = setTimeout(() => this.draw(QUALITIES[0]), this.quality > better ? 800 : 0);
    }, 200);
  }

  draw(quality) {
    const { camera, timeline, moment, renderer, inspector } = this;
    if (this.run.frames.length && (this.stale || moment.time !== timeline.time || !moment.frame)) {
      moment.moveTo(timeline.time);
      moment.time = timeline.time;
      renderer.update(moment, this.options);
      this.stale = false;
      if (renderer.deformables.stressScale !== this.shownStress) this.showToggles(); // a live run saw more
    }
    if (this.following) camera.target = add(this.placeOf(this.following.body), this.following.offset);
    renderer.render(camera, { ...this.options, selected: inspector.selected, radius: this.bounds.radius }, quality);
    // Text and plots need not change with every picture; once things stand still they are exact.
    const now = performance.now();
    if (!this.moving || quality === QUALITIES[0] || now - (this.written ?? 0) > 80) {
      this.written = now;
      timeline.show();
      inspector.show(moment, this.bounds.radius, renderer.contacts.strongest);
      if (this.options.plots) this.plots.show(timeline.time, this.theme);
      this.writeNow();
    }
    this.pictures++;
    document.documentElement.dataset.pictures = this.pictures;
  }

  /** Coarser pictures when one takes too long, finer ones when there is time to spare. */
  adaptQuality(seconds) {
    if (this.fixedQuality !== null) return;
    this.durations.push(seconds);
    const slow = this.durations.length >= 3 && Math.min(...this.durations.slice(-3)) > 0.06;
    if (this.durations.length < 12 && !slow) return;
    const median = this.durations.sort((a, b) => a - b)[this.durations.length >> 1];
    this.durations = [];
    if (median > 0.03 && this.quality < QUALITIES.length - 1) {
      this.quality++;
      this.bestQuality = this.quality; // this machine is not faster than that
    } else if (median < 0.012 && this.quality > this.bestQuality) this.quality--;
  }

  /** A live frame arrived. */
  receive() {
    const { run, timeline } = this;
    if (run.frames.length === 1) {
      showMessage("");
      this.bounds = sceneBounds(run);
      this.frameUntouched();
    }
    if (timeline.following || timeline.playing || !this.moment.frame || timeline.time < run.start) {
      this.invalidate();
      return;
    }
    // Paused: the picture stays, only its place in the run moves.
    timeline.show();
    if (this.options.plots) this.plots.show(timeline.time, this.theme);
  }

  /** The live run is over; what was received stays. */
  end(reason) {
    this.timeline.ended = true;
    this.timeline.following = false;
    showMessage(reason);
    this.invalidate();
  }
}

function showMessage(text) {
  const element = document.getElementById("message");
  element.textContent = text;
  element.hidden = !text;
}

async function start() {
  try {
    const run = await loadRun();
    const app = new App(run);
    window.stiction = app; // for scripts that make pictures
    if (run.settings.live) {
      showMessage("Waiting for the first frame…");
      connectLive(run, { onFrame: () => app.receive(), onEnd: (reason) => app.end(reason) });
    } else if (!run.frames.length) showMessage("This recording has no frames.");
  } catch (error) {
    console.error(error);
    showMessage(error.message);
  }
}

start();
