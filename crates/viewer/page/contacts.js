// Contact points as dots of constant size on the screen, forces as arrows to scale.

class Contacts {
  constructor(gl, run) {
    this.run = run;
    this.dots = new Batch(gl, UNIT_SHAPES.square(), 64);
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

  update(frame, camera, radius, colors) {
    const { run, dots, arrows } = this;
    this.examine();
    const count = frame ? frame.contacts : 0;
    dots.reserve(count);
    arrows.reserve(count);
    dots.count = arrows.count = 0;
    const scale = this.metresPerNewton(radius);
    for (let k = 0; k < count; k++) {
      const contact = run.contact(frame, k);
      if (!contact.position.every(isFinite)) continue;
      const color = colors[STATES[contact.state]];
      const size = camera.pixelSize(contact.position);
      const dot = (contact.state === 0 ? 3.6 : 5.2) * size;
      dots.place(dots.count, contact.position, [0, 0, 0, 1], 0);
      dots.paint(dots.count++, [dot, dot, dot], -1, color);
      const force = norm(contact.force);
      const length = force * scale;
      if (!isFinite(force) || length < 4 * size) continue;
      const thickness = Math.min(3.6 * size, length / 4);
      const rotation = rotationFromZ(scaled(contact.force, 1 / force));
      arrows.place(arrows.count, contact.position, rotation, length - 2.4 * thickness);
      arrows.paint(arrows.count++, [thickness, thickness, thickness], -1, color);
    }
    for (const batch of [dots, arrows]) {
      batch.uploadMoving();
      batch.uploadConstant();
    }
  }
}
