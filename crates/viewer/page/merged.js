// All opaque bodies as one mesh, moved by the page itself. A graphics card prefers instances; software that
// stands in for one handles every instance as a draw call of its own, and is several times faster with this.

class Merged {
  constructor(gl, batches) {
    this.gl = gl;
    this.batches = batches.filter((batch) => !batch.clear && batch.coarseGeometry);
    const share = (batch) => batch.count * (batch.coarseGeometry.positions.length / 4);
    this.vertices = this.batches.reduce((sum, batch) => sum + share(batch), 0);
    this.positions = new Float32Array(4 * this.vertices);
    this.normals = new Float32Array(3 * this.vertices);
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.positionBuffer = this.attribute(0, 4, this.positions);
    this.normalBuffer = this.attribute(1, 3, this.normals);
    this.fillConstants();
  }

  attribute(location, size, data) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
    return buffer;
  }

  /** Identity, colour and triangles, which do not change. */
  fillConstants() {
    const { gl } = this;
    const identities = new Float32Array(4 * this.vertices), colors = new Float32Array(4 * this.vertices);
    const triangles = [];
    let vertex = 0;
    for (const { coarseGeometry, count, constant, marks } of this.batches) {
      const { positions } = coarseGeometry;
      for (let k = 0; k < count; k++) {
        const id = constant[CONSTANT * k + 3], color = constant.subarray(CONSTANT * k + 4, CONSTANT * k + 8);
        for (const corner of coarseGeometry.triangles) triangles.push(vertex + corner);
        for (let at = 0; at < positions.length; at += 4, vertex++) {
          const sign = (x) => (Math.abs(x) < 1e-6 ? 0 : Math.sign(x));
          const octant = sign(positions[at]) * sign(positions[at + 1]) * (marks > 1 ? 1 : sign(positions[at + 2]));
          const shade = marks ? Math.sqrt(0.86 + 0.14 * octant) : 1; // as the shader of single bodies does
          identities.set([1, 1, 1, id], 4 * vertex);
          colors.set([color[0] * shade, color[1] * shade, color[2] * shade, color[3]], 4 * vertex);
        }
      }
    }
    this.attribute(4, 4, identities);
    this.attribute(5, 4, colors);
    this.indices = gl.createBuffer();
    this.indexCount = triangles.length;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(triangles), gl.STATIC_DRAW);
  }

  /** Moves every vertex to where the batches' instances are. */
  update() {
    const { gl, positions, normals } = this;
    let p = 0, n = 0;
    for (const { coarseGeometry, count, constant, moving } of this.batches) {
      const local = coarseGeometry.positions, facing = coarseGeometry.normals;
      for (let k = 0; k < count; k++) {
        const m = MOVING * k, c = CONSTANT * k;
        const x = moving[m], y = moving[m + 1], z = moving[m + 2], stretch = moving[m + 3];
        const qx = moving[m + 4], qy = moving[m + 5], qz = moving[m + 6], qw = moving[m + 7];
        const sx = constant[c], sy = constant[c + 1], sz = constant[c + 2];
        // The rotation as a matrix, row by row.
        const a = 1 - 2 * (qy * qy + qz * qz), b = 2 * (qx * qy - qw * qz), d = 2 * (qx * qz + qw * qy);
        const e = 2 * (qx * qy + qw * qz), f = 1 - 2 * (qx * qx + qz * qz), g = 2 * (qy * qz - qw * qx);
        const h = 2 * (qx * qz - qw * qy), i = 2 * (qy * qz + qw * qx), j = 1 - 2 * (qx * qx + qy * qy);
        for (let v = 0, w = 0; v < local.length; v += 4, w += 3, p += 4, n += 3) {
          const u0 = local[v] * sx, u1 = local[v + 1] * sy, u2 = local[v + 2] * sz + local[v + 3] * stretch;
          positions[p] = x + a * u0 + b * u1 + d * u2;
          positions[p + 1] = y + e * u0 + f * u1 + g * u2;
          positions[p + 2] = z + h * u0 + i * u1 + j * u2;
          const n0 = facing[w] / sx, n1 = facing[w + 1] / sy, n2 = facing[w + 2] / sz;
          normals[n] = a * n0 + b * n1 + d * n2;
          normals[n + 1] = e * n0 + f * n1 + g * n2;
          normals[n + 2] = h * n0 + i * n1 + j * n2;
        }
      }
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.positionBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, positions, gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.normalBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, normals, gl.DYNAMIC_DRAW);
  }

  draw() {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.vertexAttrib4f(2, 0, 0, 0, 0); // the vertices are in place already
    gl.vertexAttrib4f(3, 0, 0, 0, 1);
    gl.drawElements(gl.TRIANGLES, this.indexCount, gl.UNSIGNED_INT, 0);
  }
}
