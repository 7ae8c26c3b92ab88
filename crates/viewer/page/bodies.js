// The rigid bodies: every shape is an instance in the batch of its kind.

class Bodies {
  /** `list` is "visuals" or "colliders"; a body without colliders collides as it looks. */
  constructor(gl, run, list) {
    this.batches = [];
    this.planes = [];
    const groups = new Map();
    run.header.bodies.forEach((body, index) => {
      const shapes = body[list].length ? body[list] : body.visuals;
      for (const shape of shapes) {
        const how = drawable(shape.geometry);
        const entry = { body: index, shape, ...how };
        if (how.key === "plane") {
          this.planes.push(entry);
          continue;
        }
        const clear = shape.color[3] < 1;
        const name = `${how.key}|${clear}`;
        if (!groups.has(name)) groups.set(name, { key: how.key, clear, entries: [] });
        groups.get(name).entries.push(entry);
      }
    });
    for (const { key, clear, entries } of groups.values()) {
      const { fine, coarse } = bodyGeometry(run.header, key, entries.length);
      const batch = new Batch(gl, fine, entries.length);
      batch.coarseGeometry = coarse;
      batch.count = entries.length;
      batch.clear = clear;
      batch.marks = key === "sphere" ? 1 : key === "cylinder" || key === "capsule" ? 2 : 0;
      batch.entries = entries;
      entries.forEach((entry, k) => batch.paint(k, entry.scale, entry.body, entry.shape.color));
      batch.uploadConstant();
      this.batches.push(batch);
    }
    this.merged = null; // made when it is first needed
    this.gl = gl;
    this.batches.sort((a, b) => a.clear - b.clear); // what can be looked through comes last
  }

  update(moment) {
    for (const batch of this.batches) {
      batch.entries.forEach((entry, k) => {
        const q = moment.rotation(entry.body), { pose } = entry.shape;
        const position = add(moment.position(entry.body), rotated(q, pose.position));
        batch.place(k, position, composed(q, pose.rotation), entry.stretch);
      });
      batch.uploadMoving();
    }
    this.mergedIsStale = true;
  }

  /** The opaque bodies as one mesh, where the last update put them. */
  asOne() {
    this.merged ??= new Merged(this.gl, this.batches);
    if (this.mergedIsStale) this.merged.update();
    this.mergedIsStale = false;
    return this.merged;
  }
}

/** The shape of a batch of `count` bodies, and a coarser one for pictures in a hurry. */
function bodyGeometry(header, key, count) {
  if (!key.startsWith("mesh ")) return { fine: UNIT_SHAPES[key](32), coarse: UNIT_SHAPES[key](count > 10 ? 12 : 24) };
  const mesh = header.meshes[Number(key.slice(5))];
  mesh.fine ??= meshGeometry(mesh);
  if (count * mesh.triangles.length <= 10000) return { fine: mesh.fine, coarse: mesh.fine };
  mesh.coarse ??= meshGeometry(coarseMesh(mesh));
  return { fine: mesh.fine, coarse: mesh.coarse };
}

/** Radius around a body's origin that holds its shapes, planes left out; 0 for none. */
function bodyRadius(header, body) {
  let radius = 0;
  for (const { geometry, pose } of body.visuals) {
    const { key, scale, stretch } = drawable(geometry);
    if (key === "plane") continue;
    let own = key === "box" ? norm(scale) : key === "cylinder" || key === "cone" ? Math.hypot(scale[0], scale[2]) : Math.max(...scale) + stretch;
    if (key.startsWith("mesh ")) own = header.meshes[Number(key.slice(5))].vertices.reduce((most, v) => Math.max(most, norm(v)), 0);
    radius = Math.max(radius, norm(pose.position) + own);
  }
  return radius;
}

/** Spheres around what moves during the run and what is fixed nearby, and one around them all. */
function sceneBounds(run) {
  const { header, frames } = run;
  const spheres = [];
  const whole = () => {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const [center, radius] of spheres) {
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], center[k] - radius);
        high[k] = Math.max(high[k], center[k] + radius);
      }
    }
    if (!spheres.length) return { center: [0, 0, 0], radius: 1, spheres: [[[0, 0, 0], 1]] };
    return { center: scaled(add(low, high), 0.5), radius: Math.max(norm(subtract(high, low)) / 2, 1e-4), spheres };
  };
  const radii = header.bodies.map((body) => bodyRadius(header, body));
  const include = (frame, wanted, near) => {
    const one = (at, radius) => {
      const center = Array.from(frame.floats.subarray(at, at + 3));
      if (center.every(isFinite) && (!near || norm(subtract(center, near.center)) < 3 * near.radius)) spheres.push([center, radius]);
    };
    header.bodies.forEach((body, index) => radii[index] > 0 && wanted(body, index) && one(RECORD.poses + 7 * index, radii[index]));
    const stride = Math.max(1, Math.floor(run.nodes / 100));
    for (let k = 0; k < run.nodes; k += stride) one(run.nodesAt + 3 * k, 0);
  };
  if (!frames.length) return whole();
  include(frames[0], (body) => !body.fixed);
  const anyMoving = spheres.length > 0;
  const first = whole();
  // Bodies that fall off the edge of the world are not followed.
  const stride = Math.max(1, Math.floor(frames.length / 20));
  for (let k = stride; anyMoving && k < frames.length; k += stride) include(frames[k], (body) => !body.fixed, first);
  const moving = whole();
  include(frames[0], (body, index) => body.fixed && (!anyMoving || radii[index] < 2 * moving.radius), anyMoving ? moving : null);
  return whole();
}
