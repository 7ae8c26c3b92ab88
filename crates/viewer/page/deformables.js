// Soft bodies as surfaces, coloured by their stress; rods as tubes swept through their nodes that twist with
// their links. Vertices are made anew for every moment.

const SIDES = 10;
const DEFORMABLE_COLORS = [[0.93, 0.49, 0.31, 1], [0.16, 0.62, 0.56, 1], [0.72, 0.45, 0.86, 1], [0.91, 0.72, 0.29, 1]];

const ROD_MARKS = 3, STRESS_MARKS = 4; // what the shader does with the values of vertices

class Deformables {
  constructor(gl, run) {
    this.run = run;
    this.examined = 0; // frames that the scale of stresses is made of
    this.stressScale = 0; // the stress at the end of the scale, Pa; 0 where none was recorded
    let first = 0;
    this.batches = run.header.deformables.map((deformable, k) => {
      const geometry = new Geometry();
      const rod = deformable.kind.rod;
      const rings = rod ? deformable.nodes + 2 : 0; // one more at each end, to close it
      if (rod) {
        for (let ring = 0; ring + 1 < rings; ring++) {
          for (let side = 0; side < SIDES; side++) {
            const a = ring * SIDES + side, b = ring * SIDES + ((side + 1) % SIDES);
            geometry.triangles.push(a, b, b + SIDES, a, b + SIDES, a + SIDES);
            geometry.lines.push(a, a + SIDES);
          }
        }
      } else {
        geometry.triangles = deformable.kind.soft.triangles.flat();
        for (const [a, b, c] of deformable.kind.soft.triangles) geometry.lines.push(a, b, b, c, c, a);
      }
      const vertices = rod ? rings * SIDES : deformable.nodes;
      geometry.values = Array.from({ length: vertices }, (_, k) => (rod ? Math.cos((2 * Math.PI * (k % SIDES)) / SIDES) : 0));
      const batch = new Batch(gl, geometry, 1);
      Object.assign(batch, {
        count: 1, marks: rod?.links?.length ? ROD_MARKS : 0, clear: false, rod, first, nodes: deformable.nodes, connectivity: geometry.triangles,
        vertexPositions: new Float32Array(4 * vertices), vertexNormals: new Float32Array(3 * vertices), vertexValues: new Float32Array(vertices),
      });
      batch.place(0, [0, 0, 0], [0, 0, 0, 1], 0);
      batch.paint(0, [1, 1, 1], run.bodies + k, DEFORMABLE_COLORS[k % DEFORMABLE_COLORS.length]);
      batch.uploadMoving();
      batch.uploadConstant();
      first += deformable.nodes;
      return batch;
    });
  }

  /**
   * Looks at frames not looked at before: the scale ends where of each frame's nodes one in a hundred lies above,
   * since the highest of all is often at one corner that is held.
   */
  examine() {
    const { run } = this;
    const stride = Math.max(1, Math.floor((run.frames.length - this.examined) / 100));
    for (; this.examined < run.frames.length; this.examined += stride) {
      const { floats } = run.frames[this.examined];
      const known = floats.slice(run.stressAt, run.stressAt + run.nodes).filter((stress) => isFinite(stress)).sort();
      if (known.length) this.stressScale = Math.max(this.stressScale, known[Math.floor(0.99 * (known.length - 1))]);
    }
  }

  update(moment, withStress) {
    this.examine();
    for (const batch of this.batches) {
      const nodes = moment.nodes.subarray(3 * batch.first, 3 * (batch.first + batch.nodes));
      if (batch.rod) sweepTube(nodes, batch.rod, moment, batch.vertexPositions, batch.vertexNormals);
      else {
        surfaceNormals(nodes, batch.connectivity, batch.vertexPositions, batch.vertexNormals);
        this.colorByStress(batch, moment.stress.subarray(batch.first, batch.first + batch.nodes), withStress);
      }
      const { gl } = batch;
      gl.bindBuffer(gl.ARRAY_BUFFER, batch.positions);
      gl.bufferData(gl.ARRAY_BUFFER, batch.vertexPositions, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, batch.normals);
      gl.bufferData(gl.ARRAY_BUFFER, batch.vertexNormals, gl.DYNAMIC_DRAW);
    }
  }

  colorByStress(batch, stress, withStress) {
    batch.marks = withStress && this.stressScale > 0 && stress.every(isFinite) ? STRESS_MARKS : 0;
    if (!batch.marks) return;
    for (let k = 0; k < stress.length; k++) batch.vertexValues[k] = stress[k] / this.stressScale;
    const { gl } = batch;
    gl.bindBuffer(gl.ARRAY_BUFFER, batch.values);
    gl.bufferData(gl.ARRAY_BUFFER, batch.vertexValues, gl.DYNAMIC_DRAW);
  }
}

function surfaceNormals(nodes, triangles, positions, normals) {
  for (let k = 0; 3 * k < nodes.length; k++) positions.set([nodes[3 * k], nodes[3 * k + 1], nodes[3 * k + 2], 0], 4 * k);
  normals.fill(0);
  const point = (k) => [nodes[3 * k], nodes[3 * k + 1], nodes[3 * k + 2]];
  for (let t = 0; t < triangles.length; t += 3) {
    const a = point(triangles[t]);
    const n = cross(subtract(point(triangles[t + 1]), a), subtract(point(triangles[t + 2]), a)); // weighted by area
    for (let corner = 0; corner < 3; corner++) for (let k = 0; k < 3; k++) normals[3 * triangles[t + corner] + k] += n[k];
  }
}

/** Rings of SIDES vertices around the polyline that begin at the x axes of the links; carried along it without twist where none are known. */
function sweepTube(nodes, { radius, links }, moment, positions, normals) {
  const count = nodes.length / 3;
  if (count < 2) return;
  const point = (k) => [nodes[3 * k], nodes[3 * k + 1], nodes[3 * k + 2]];
  let tangent = normalized(subtract(point(1), point(0)));
  let u = perpendicular(tangent);
  let vertex = 0;
  const ring = (center, size, outward) => {
    const v = cross(tangent, u);
    for (let side = 0; side < SIDES; side++, vertex++) {
      const angle = (2 * Math.PI * side) / SIDES;
      const n = add(scaled(u, Math.cos(angle)), scaled(v, Math.sin(angle)));
      positions.set([...add(center, scaled(n, size)), 0], 4 * vertex);
      normals.set(outward || n, 3 * vertex);
    }
  };
  ring(point(0), 0, scaled(tangent, -1));
  for (let k = 0; k < count; k++) {
    const next = normalized(subtract(point(Math.min(k + 1, count - 1)), point(Math.max(k - 1, 0))));
    if (links?.length) u = rotated(moment.rotation(links[k]), [1, 0, 0]);
    u = normalized(subtract(u, scaled(next, dot(u, next)))); // the part of u at a right angle to the new tangent
    tangent = next;
    ring(point(k), radius);
  }
  ring(point(count - 1), 0, tangent);
}
