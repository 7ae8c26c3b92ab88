// Unit shapes as triangles and lines. A vertex is x, y, z and a share of the instance's stretch along z:
// capsules and arrows grow longer without changing their ends.

class Geometry {
  constructor() {
    this.positions = []; // 4 per vertex
    this.normals = []; // 3 per vertex
    this.triangles = [];
    this.lines = [];
  }

  vertex(x, y, z, share, nx, ny, nz) {
    this.positions.push(x, y, z, share);
    this.normals.push(nx, ny, nz);
    return this.positions.length / 4 - 1;
  }

  /** A surface of revolution around z: `profile` lists [radius, z, share, normal radius, normal z]. */
  revolve(profile, sides, rings, meridians) {
    const start = this.positions.length / 4;
    const row = sides + 1;
    for (const [r, z, share, nr, nz] of profile) {
      for (let k = 0; k <= sides; k++) {
        const angle = (2 * Math.PI * k) / sides, c = Math.cos(angle), s = Math.sin(angle);
        this.vertex(r * c, r * s, z, share, nr * c, nr * s, nz);
      }
    }
    for (let p = 0; p + 1 < profile.length; p++) {
      for (let k = 0; k < sides; k++) {
        const a = start + p * row + k, b = a + 1, c = a + row, d = c + 1;
        if (profile[p][0] > 0) this.triangles.push(a, b, d);
        if (profile[p + 1][0] > 0) this.triangles.push(a, d, c);
        if (meridians && k % Math.ceil(sides / meridians) === 0) this.lines.push(a, c);
      }
    }
    for (const p of rings) for (let k = 0; k < sides; k++) this.lines.push(start + p * row + k, start + p * row + k + 1);
    return this;
  }
}

function arc(from, to, steps, share = 0) {
  const profile = [];
  for (let k = 0; k <= steps; k++) {
    const angle = from + ((to - from) * k) / steps;
    const c = Math.abs(angle) > Math.PI / 2 - 1e-9 ? 0 : Math.cos(angle);
    profile.push([c, Math.sin(angle), share, c, Math.sin(angle)]);
  }
  return profile;
}

/** Shapes by name; `sides` is how many corners stand for a circle, a multiple of 4. */
const UNIT_SHAPES = {
  sphere: (sides) => new Geometry().revolve(arc(-Math.PI / 2, Math.PI / 2, sides / 2), sides, [sides >> 3, sides >> 2, (3 * sides) >> 3], 8),
  capsule: (sides) => new Geometry().revolve(
    [...arc(-Math.PI / 2, 0, sides / 4, -1), ...arc(0, Math.PI / 2, sides / 4, 1)], sides, [sides >> 3, sides >> 2, (sides >> 2) + 1, ((3 * sides) >> 3) + 1], 8),
  cylinder: (sides) => new Geometry()
    .revolve([[0, -1, 0, 0, -1], [1, -1, 0, 0, -1]], sides, [], 0)
    .revolve([[1, -1, 0, 1, 0], [1, 1, 0, 1, 0]], sides, [0, 1], 16)
    .revolve([[1, 1, 0, 0, 1], [0, 1, 0, 0, 1]], sides, [], 0),
  cone: (sides) => new Geometry()
    .revolve([[0, -1, 0, 0, -1], [1, -1, 0, 0, -1]], sides, [], 0)
    .revolve([[1, -1, 0, 0.894, 0.447], [1e-4, 1, 0, 0.894, 0.447]], sides, [0], 16),
  box: () => {
    const box = new Geometry();
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [-1, 1]) {
        const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([u, v]) => {
          const p = [0, 0, 0], n = [0, 0, 0];
          p[axis] = n[axis] = side;
          p[(axis + 1) % 3] = u;
          p[(axis + 2) % 3] = v;
          return box.vertex(...p, 0, ...n);
        });
        const [a, b, c, d] = corners;
        if (side > 0) box.triangles.push(a, b, c, a, c, d); else box.triangles.push(a, c, b, a, d, c);
        box.lines.push(a, b, b, c, c, d, d, a);
      }
    }
    return box;
  },
  // An arrow along z: the shaft ends at the stretch, the head beyond it.
  arrow: (sides) => new Geometry()
    .revolve([[0.4, 0, 0, 1, 0], [0.4, 0, 1, 1, 0]], sides, [], 0)
    .revolve([[0, 0, 1, 0, -1], [1, 0, 1, 0, -1]], sides, [], 0)
    .revolve([[1, 0, 1, 0.9, 0.4], [1e-3, 2.4, 1, 0.9, 0.4]], sides, [], 0),
};

/** A mesh of the header, with smooth normals except across edges sharper than 35°. */
function meshGeometry(mesh) {
  const crease = Math.cos((35 * Math.PI) / 180);
  const { vertices, triangles } = mesh;
  const same = new Map(); // vertices at one place count as one, files often repeat them
  const place = vertices.map((v) => {
    const key = v.map((x) => Math.fround(x)).join(",");
    if (!same.has(key)) same.set(key, same.size);
    return same.get(key);
  });
  const faceNormals = triangles.map(([a, b, c]) => cross(subtract(vertices[b], vertices[a]), subtract(vertices[c], vertices[a])));
  const unitNormals = faceNormals.map(normalized);
  const facesAt = Array.from({ length: same.size }, () => []);
  triangles.forEach((corners, face) => corners.forEach((corner) => facesAt[place[corner]].push(face)));

  const geometry = new Geometry();
  const made = Array.from({ length: same.size }, () => []); // vertices at a place, one for each normal
  const edges = new Set();
  const n = [0, 0, 0];
  triangles.forEach((corners, face) => {
    const own = unitNormals[face];
    const indices = corners.map((corner) => {
      n[0] = n[1] = n[2] = 0;
      for (const other of facesAt[place[corner]]) {
        if (dot(unitNormals[other], own) <= crease) continue;
        for (let k = 0; k < 3; k++) n[k] += faceNormals[other][k]; // weighted by area
      }
      const length = norm(n) || 1;
      const here = made[place[corner]];
      let vertex = here.find(({ normal }) => dot(normal, n) > 0.9999 * length);
      if (!vertex) {
        const normal = scaled(n, 1 / length);
        vertex = { normal, index: geometry.vertex(...vertices[corner], 0, ...normal) };
        here.push(vertex);
      }
      return vertex.index;
    });
    geometry.triangles.push(...indices);
    corners.forEach((corner, k) => {
      const p = place[corner], q = place[corners[(k + 1) % 3]];
      const edge = p < q ? p * same.size + q : q * same.size + p;
      if (edges.has(edge)) return;
      edges.add(edge);
      geometry.lines.push(indices[k], indices[(k + 1) % 3]);
    });
  });
  return geometry;
}

/** The same mesh with vertices that share a cell of a grid made one: coarse, for pictures in a hurry. */
function coarseMesh({ vertices, triangles }, cells = 8) {
  if (triangles.length < 400) return { vertices, triangles };
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const v of vertices) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], v[k]);
      high[k] = Math.max(high[k], v[k]);
    }
  }
  const size = Math.max(...subtract(high, low)) / cells || 1;
  const clusters = new Map();
  const cluster = vertices.map((v) => {
    const key = v.map((x, k) => Math.round((x - low[k]) / size)).join();
    if (!clusters.has(key)) clusters.set(key, { index: clusters.size, sum: [0, 0, 0], count: 0 });
    const one = clusters.get(key);
    one.sum = add(one.sum, v);
    one.count++;
    return one.index;
  });
  const seen = new Set();
  return {
    vertices: Array.from(clusters.values(), ({ sum, count }) => scaled(sum, 1 / count)),
    triangles: triangles.map((corners) => corners.map((corner) => cluster[corner])).filter(([a, b, c]) => {
      const least = Math.min(a, b, c); // the same triangle begins with any of its corners
      const key = (a === least ? [a, b, c] : b === least ? [b, c, a] : [c, a, b]).join();
      return a !== b && b !== c && c !== a && !seen.has(key) && seen.add(key);
    }),
  };
}

/** Which unit shape draws a geometry of the header, and how it is scaled. */
function drawable(geometry) {
  const [kind, size] = typeof geometry === "string" ? [geometry, {}] : Object.entries(geometry)[0];
  switch (kind) {
    case "sphere": return { key: "sphere", scale: [size.radius, size.radius, size.radius], stretch: 0 };
    case "ellipsoid": return { key: "sphere", scale: size.radii, stretch: 0 };
    case "box": return { key: "box", scale: size.half_extents, stretch: 0 };
    case "capsule": return { key: "capsule", scale: [size.radius, size.radius, size.radius], stretch: size.half_length };
    case "cylinder": return { key: "cylinder", scale: [size.radius, size.radius, size.half_length], stretch: 0 };
    case "cone": return { key: "cone", scale: [size.radius, size.radius, size.half_height], stretch: 0 };
    case "mesh": return { key: `mesh ${size.mesh}`, scale: [1, 1, 1], stretch: 0 };
    default: return { key: "plane", scale: [1, 1, 1], stretch: 0 };
  }
}
