// The run: header, settings and frames. A frame is a record of 32-bit words as written by record.rs.

const RECORD = { time: 4, statistics: 3, counts: 10, poses: 15 }; // `time` in bytes, the others in words
const CONTACT_WORDS = 14;
const STATES = ["open", "stick", "slip"];
const NO_BODY = 0xffffffff;

class Run {
  constructor(header, settings) {
    this.header = header;
    this.settings = settings;
    this.frames = [];
    this.bodies = header.bodies.length;
    this.nodes = header.deformables.reduce((sum, deformable) => sum + deformable.nodes, 0);
    this.velocitiesAt = RECORD.poses + 7 * this.bodies;
    this.nodesAt = RECORD.poses + 13 * this.bodies;
    this.stressAt = this.nodesAt + 3 * this.nodes;
    this.contactsAt = this.stressAt + this.nodes;
    this.bytes = 0;
  }

  /** Appends the record that starts at word `start` of `buffer`; returns its length in words. */
  push(buffer, start) {
    const available = (buffer.byteLength >> 2) - start;
    if (available <= this.contactsAt) throw new Error("a frame is too short");
    const words = new Uint32Array(buffer, 4 * start);
    const length = words[0];
    if (length !== this.contactsAt + 1 + CONTACT_WORDS * words[this.contactsAt] || length > available) {
      throw new Error("a frame does not have the length it claims");
    }
    const floats = new Float32Array(buffer, 4 * start, length);
    const view = new DataView(buffer, 4 * start);
    this.frames.push({
      words: words.subarray(0, length),
      floats,
      time: view.getFloat64(RECORD.time, true),
      contacts: words[this.contactsAt],
    });
    this.bytes += 4 * length;
    return length;
  }

  /** Forgets the oldest frames, so that a long live run does not fill the memory. */
  forgetOldest(budget) {
    let count = 0;
    while (this.bytes > budget && count < this.frames.length - 1) this.bytes -= 4 * this.frames[count++].words.length;
    if (count > 0) this.frames.splice(0, count);
    return count;
  }

  get start() { return this.frames.length ? this.frames[0].time : 0; }
  get end() { return this.frames.length ? this.frames[this.frames.length - 1].time : 0; }

  /** Index of the last frame that is not later than `time`. */
  indexAt(time) {
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** What the solver did in frame `index`. */
  statistics(index) {
    const { floats, words } = this.frames[index];
    const s = RECORD.statistics, n = RECORD.counts;
    return {
      stepTime: floats[s], residual: floats[s + 1], penetration: floats[s + 2],
      kinetic: floats[s + 3], potential: floats[s + 4], jointError: floats[s + 5], jointAngle: floats[s + 6],
      iterations: words[n], contacts: words[n + 1], rows: words[n + 2], islands: words[n + 3], converged: words[n + 4] === 1,
    };
  }

  /** Contact `k` of a frame. */
  contact(frame, k) {
    const at = this.contactsAt + 1 + CONTACT_WORDS * k;
    const { floats, words } = frame;
    return {
      position: floats.subarray(at, at + 3), normal: floats.subarray(at + 3, at + 6), force: floats.subarray(at + 6, at + 9),
      gap: floats[at + 9], slip: floats[at + 10], a: words[at + 11], b: words[at + 12], state: words[at + 13],
    };
  }

  velocity(frame, body) {
    const at = this.velocitiesAt + 6 * body;
    return { linear: frame.floats.subarray(at, at + 3), angular: frame.floats.subarray(at + 3, at + 6) };
  }

  /** The name of entry `index` of a contact's bodies. */
  nameOf(index) {
    if (index === NO_BODY) return "world";
    const one = index < this.bodies ? this.header.bodies[index] : this.header.deformables[index - this.bodies];
    return one ? one.name || `#${index}` : "?";
  }
}

/** Poses, nodes and stresses between two frames. */
class Moment {
  constructor(run) {
    this.run = run;
    this.poses = new Float32Array(7 * run.bodies);
    this.nodes = new Float32Array(3 * run.nodes);
    this.stress = new Float32Array(run.nodes);
    this.index = 0;
    this.frame = null;
  }

  /** Interpolates at `time`; contacts and statistics are those of the frame before. */
  moveTo(time) {
    const { run } = this;
    if (!run.frames.length) return;
    this.index = run.indexAt(time);
    const before = this.frame = run.frames[this.index];
    const after = run.frames[Math.min(this.index + 1, run.frames.length - 1)];
    const span = after.time - before.time;
    const s = span > 0 ? clamp((time - before.time) / span, 0, 1) : 0;
    this.blend(before.floats, after.floats, s);
  }

  blend(a, b, s) {
    const { poses, nodes, stress, run } = this;
    for (let body = 0; body < run.bodies; body++) {
      const from = RECORD.poses + 7 * body, to = 7 * body;
      for (let k = 0; k < 3; k++) poses[to + k] = a[from + k] + s * (b[from + k] - a[from + k]);
      let cosine = 0;
      for (let k = 3; k < 7; k++) cosine += a[from + k] * b[from + k];
      const sign = cosine < 0 ? -1 : 1; // q and -q are the same rotation: take the near one
      let square = 0;
      for (let k = 3; k < 7; k++) {
        const q = (1 - s) * a[from + k] + s * sign * b[from + k];
        poses[to + k] = q;
        square += q * q;
      }
      const inverse = 1 / Math.sqrt(square || 1);
      for (let k = 3; k < 7; k++) poses[to + k] *= inverse;
    }
    for (let k = 0, at = run.nodesAt; k < nodes.length; k++, at++) nodes[k] = a[at] + s * (b[at] - a[at]);
    for (let k = 0, at = run.stressAt; k < stress.length; k++, at++) stress[k] = a[at] + s * (b[at] - a[at]);
  }

  position(body) { return Array.from(this.poses.subarray(7 * body, 7 * body + 3)); }
  rotation(body) { return Array.from(this.poses.subarray(7 * body + 3, 7 * body + 7)); }
}

/** Undoes the packing of record.rs: bytes by plane, then words XORed with the record before. */
function unpackRecords(planes) {
  const count = planes.length >> 2;
  const words = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    words[k] = planes[k] | (planes[count + k] << 8) | (planes[2 * count + k] << 16) | (planes[3 * count + k] << 24);
  }
  let start = 0, previous = 0, previousLength = 0;
  while (start < count) {
    const length = words[start];
    if (length < 1 || start + length > count) throw new Error("the embedded frames are damaged");
    const shared = Math.min(length, previousLength);
    for (let k = 1; k < shared; k++) words[start + k] ^= words[previous + k];
    previous = start;
    previousLength = length;
    start += length;
  }
  return words;
}

/** Reads the data that is embedded in the page. */
async function loadRun() {
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const run = new Run(json("data-header"), json("data-settings"));
  const element = document.getElementById("data-frames");
  const text = element.textContent.trim();
  if (text) {
    const compressed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const words = unpackRecords(new Uint8Array(await new Response(stream).arrayBuffer()));
    for (let at = 0; at < words.length;) at += run.push(words.buffer, at);
  }
  element.textContent = ""; // the text is large and no longer needed
  return run;
}
