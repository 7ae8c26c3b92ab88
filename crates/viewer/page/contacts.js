// Contact points as dots of constant size on the screen, forces as arrows to scale.

/** Discs of a constant size on the screen. */
class Discs {
  constructor(gl) {
    this.gl = gl;
    this.data = new Float32Array(0); // per disc: position, radius, colour
    this.count = 0;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 4, gl.FLOAT, false, 32, 16 * k);
    }
  }

  clear(capacity) {
    this.count = 0;
    if (this.data.length < 8 * capacity) this.data = new Float32Array(16 * capacity);
  }

  add(position, radius, color) {
    const at = 8 * this.count++;
    this.data.set(position, at);
    this.data[at + 3] = radius;
    this.data.set(color, at + 4);
  }

  upload() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data, gl.DYNAMIC_DRAW, 0, 8 * this.count);
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawArrays(this.gl.POINTS, 0, this.count);
  }
}

class Contacts {
  constructor(gl, run) {
    this.run = run;
    this.discs = new Discs(gl);
    this.arrows = new Batch(gl, UNIT_SHAPES.arrow(8), 64);
    this.strongest = 0; // the largest force seen so far, N
    this.examined = 0; // frames that went into it
    this.exponent = 0; // the user's choice: arrows are 2 to this power longer
  }

  /** Looks at frames not looked at before, for the scale of the arrows. */
  examine() {
    const { run } = this;
    const stride = Math.max(1, Math.floor((run.frames.length - this.examined) / 200));
    for (; this.examined < run.frames.length; this.examined += stride) {
      const frame = run.frames[this.examined];
      for (let k = 0; k < frame.contacts; k++) {
        const force = norm(run.contact(frame, k).force);
        if (isFinite(force)) this.strongest = Math.max(this.strongest, force);
      }
    }
  }

  /** Metres of arrow per newton: the strongest force is between 0.3 and 0.75 of the scene's radius. */
  metresPerNewton(radius) {
    const newtons = roundNumber(this.strongest || 1);
    return ((0.3 * radius) / newtons) * 2 ** this.exponent;
  }

  update(frame, camera, radius, colors, withArrows) {
    const { run, discs, arrows } = this;
    this.examine();
    const count = frame ? frame.contacts : 0;
    discs.clear(count);
    arrows.reserve(count);
    arrows.count = 0;
    const scale = this.metresPerNewton(radius);
    for (let k = 0; k < count; k++) {
      const contact = run.contact(frame, k);
      const color = colors[STATES[contact.state]];
      discs.add(contact.position, contact.state === 0 ? 3.6 : 5.2, color);
      if (!withArrows) continue;
      const size = camera.pixelSize(contact.position);
      const force = norm(contact.force);
      const length = force * scale;
      if (!isFinite(length) || length < 4 * size) continue;
      const thickness = Math.min(3.6 * size, length / 4);
      const rotation = rotationFromZ(scaled(contact.force, 1 / force));
      arrows.place(arrows.count, contact.position, rotation, length - 2.4 * thickness);
      arrows.paint(arrows.count++, [thickness, thickness, thickness], -1, color);
    }
    discs.upload();
    arrows.uploadMoving();
    arrows.uploadConstant();
  }
}
