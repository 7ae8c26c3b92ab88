// The panel about the selected body.

class Inspector {
  constructor(run, onSelect) {
    this.run = run;
    this.panel = document.getElementById("inspector");
    this.list = document.getElementById("bodies");
    this.state = document.getElementById("state");
    this.follow = document.getElementById("follow");
    this.selected = null;
    const names = [...run.header.bodies, ...run.header.deformables].map((_, index) => run.nameOf(index));
    this.list.append(new Option(names.length ? "Select a body…" : "No bodies", ""), ...names.map((name, index) => new Option(name, index)));
    this.list.addEventListener("change", () => onSelect(this.list.value === "" ? null : Number(this.list.value)));
    this.values = new Map();
  }

  get count() { return this.run.bodies + this.run.header.deformables.length; }

  select(index) {
    this.selected = index;
    this.list.value = index === null ? "" : index;
    this.panel.classList.toggle("selected", index !== null);
    this.follow.checked &&= index !== null;
    this.values.clear();
    this.state.replaceChildren();
  }

  write(name, text) {
    let value = this.values.get(name);
    if (!value) {
      const term = document.createElement("dt");
      term.textContent = name;
      value = document.createElement("dd");
      this.state.append(term, value);
      this.values.set(name, value);
    }
    if (value.textContent !== text) value.textContent = text;
  }

  /** `radius` of the scene and `strongest` force say how many digits are worth showing. */
  show(moment, radius, strongest) {
    const { run, selected } = this;
    if (selected === null || !moment.frame) return;
    const vector = (v, digits) => Array.from(v, (x) => fixed(x, digits)).join("  ");
    if (selected < run.bodies) {
      const body = run.header.bodies[selected];
      const { linear, angular } = run.velocity(moment.frame, selected);
      this.write("Mass", body.fixed ? "fixed" : withUnit(body.mass * 1000, "g"));
      this.write("Position (m)", vector(moment.position(selected), digitsFor(radius)));
      this.write("Rotation (°)", vector(rollPitchYaw(moment.rotation(selected)), 1));
      this.write("Velocity (m/s)", vector(linear, digitsFor(radius)));
      this.write("Speed", withUnit(norm(linear), "m/s"));
      this.write("Turning (rad/s)", vector(angular, 3));
    } else {
      const deformable = run.header.deformables[selected - run.bodies];
      this.write("Kind", deformable.kind.rod ? "rod" : "soft body");
      this.write("Nodes", `${deformable.nodes}`);
    }
    const { total, counts } = this.contactsOf(moment.frame, selected);
    this.write("Contacts", counts.map((count, state) => (count ? `${count} ${STATES[state]}` : "")).filter(Boolean).join(", ") || "none");
    this.write("Contact force", withUnit(norm(total), "N"));
    this.write("Force (N)", vector(total, digitsFor(strongest)));
  }

  /** Sum of the contact forces on a body, and how many of its contacts are open, stick and slip. */
  contactsOf(frame, index) {
    let total = [0, 0, 0];
    const counts = [0, 0, 0];
    for (let k = 0; k < frame.contacts; k++) {
      const { a, b, force, state } = this.run.contact(frame, k);
      if (a !== index && b !== index) continue;
      total = add(total, scaled(force, b === index ? 1 : -1));
      counts[state]++;
    }
    return { total, counts };
  }
}

/** Angles about the fixed x, y, z axes, degrees. */
function rollPitchYaw([x, y, z, w]) {
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(clamp(2 * (w * y - z * x), -1, 1)),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ].map((angle) => (angle * 180) / Math.PI);
}
