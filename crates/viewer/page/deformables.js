// Soft bodies as surfaces, rods as tubes swept through their nodes; vertices are made anew for every moment.

const SIDES = 10;
const DEFORMABLE_COLORS = [[0.93, 0.49, 0.31, 1], [0.16, 0.62, 0.56, 1], [0.72, 0.45, 0.86, 1], [0.91, 0.72, 0.29, 1]];

class Deformables {
  constructor(gl, run) {
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
      const batch = new Batch(gl, geometry, 1);
      Object.assign(batch, {
        count: 1, marks: 0, clear: false, rod, first, nodes: deformable.nodes, connectivity: geometry.triangles,
        vertexPositions: new Float32Array(4 * vertices), vertexNormals: new Float32Array(3 * vertices),
      });
      batch.place(0, [0, 0, 0], [0, 0, 0, 1], 0);
      batch.paint(0, [1, 1, 1], run.bodies + k, DEFORMABLE_COLORS[k % DEFORMABLE_COLORS.length]);
      batch.uploadMoving();
      batch.uploadConstant();
      first += deformable.nodes;
      return batch;
    });
  }

  update(moment) {
    for (const batch of this.batches) {
      const nodes = moment.nodes.subarray(3 * batch.first, 3 * (batch.first + batch.nodes));
      if (batch.rod) sweepTube(nodes, batch.rod.radius, batch.vertexPositions, batch.vertexNormals);
      else surfaceNormals(nodes, batch.connectivity, batch.vertexPositions, batch.vertexNormals);
      const { gl } = batch;
      gl.bindBuffer(gl.ARRAY_BUFFER, batch.positions);
      gl.bufferData(gl.ARRAY_BUFFER, batch.vertexPositions, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, batch.normals);
      gl.bufferData(gl.ARRAY_BUFFER, batch.vertexNormals, gl.DYNAMIC_DRAW);
    }
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

/** Rings of SIDES vertices around the polyline, carried along it without twist. */
function sweepTube(nodes, radius, positions, normals) {
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
    u = normalized(subtract(u, scaled(next, dot(u, next)))); // the part of u at a right angle to the new tangent
    tangent = next;
    ring(point(k), radius);
  }
  ring(point(count - 1), 0, tangent);
}
