// Where in time the page is: playing, stepping, scrubbing, following a live run.

class Timeline {
  constructor(run) {
    this.run = run;
    this.time = run.start;
    this.playing = false;
    this.speed = 1;
    this.following = run.settings.live; // the newest frame of a live run
    this.ended = false; // the live run is over
    this.elements = Object.fromEntries(["scrub", "clock", "play", "speed", "live"].map((id) => [id, document.getElementById(id)]));
    this.elements.live.hidden = !run.settings.live;
  }

  /** Lets time pass; returns whether the moment changed. */
  advance(seconds) {
    const before = this.time;
    if (this.following) this.time = this.run.end;
    else if (this.playing) {
      this.time += seconds * this.speed;
      if (this.time >= this.run.end) {
        this.time = this.run.end;
        if (this.run.settings.live && !this.ended) this.following = true;
        else this.playing = false;
      }
    }
    this.time = clamp(this.time, this.run.start, this.run.end);
    return this.time !== before;
  }

  toggle() {
    if (this.following) {
      this.following = this.playing = false;
      return;
    }
    this.playing = !this.playing;
    if (this.playing && this.time >= this.run.end) this.time = this.run.start;
  }

  seek(time) {
    this.following = false;
    this.time = clamp(time, this.run.start, this.run.end);
  }

  step(count) {
    this.playing = false;
    const index = clamp(this.run.indexAt(this.time + 1e-12) + count, 0, this.run.frames.length - 1);
    if (this.run.frames.length) this.seek(this.run.frames[index].time);
  }

  follow() {
    if (this.run.settings.live && !this.ended) this.following = true;
  }

  /** The next faster (+1) or slower (-1) speed of the list. */
  changeSpeed(direction) {
    const { speed } = this.elements;
    speed.selectedIndex = clamp(speed.selectedIndex + direction, 0, speed.options.length - 1);
    this.speed = Number(speed.value);
  }

  setSpeed(value) {
    const { speed } = this.elements;
    const options = Array.from(speed.options);
    const nearest = options.reduce((a, b) => (Math.abs(b.value - value) < Math.abs(a.value - value) ? b : a));
    speed.value = nearest.value;
    this.speed = Number(nearest.value);
  }

  /** Writes the state into the page. */
  show() {
    const { scrub, clock, play, live } = this.elements;
    const { start, end, frames } = this.run;
    const span = end - start || 1;
    const share = (this.time - start) / span;
    scrub.value = share;
    scrub.style.setProperty("--fill", `${100 * share}%`);
    const index = frames.length ? this.run.indexAt(this.time) : 0;
    scrub.setAttribute("aria-valuetext", `${this.time.toFixed(3)} seconds, frame ${index + 1} of ${frames.length}`);
    const text = `${this.time.toFixed(3)} s`;
    if (clock.dataset.text !== `${text}${frames.length}`) {
      clock.dataset.text = `${text}${frames.length}`;
      const small = document.createElement("small");
      small.textContent = ` / ${end.toFixed(2)} s · ${frames.length ? index + 1 : 0} of ${frames.length}`;
      clock.replaceChildren(text, small);
    }
    const running = this.playing || this.following;
    play.firstElementChild.firstElementChild.setAttribute("href", running ? "#icon-pause" : "#icon-play");
    play.setAttribute("aria-label", running ? "Pause" : "Play");
    if (!live.hidden) {
      live.dataset.state = this.ended ? "ended" : this.following ? "live" : "paused";
      live.lastElementChild.textContent = this.ended ? "Ended" : this.following ? "Live" : "Go live";
      live.setAttribute("aria-label", this.ended ? "The run has ended" : this.following ? "Following the run" : "Follow the newest frame");
    }
  }
}
