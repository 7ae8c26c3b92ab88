// A thin layer over WebGL2: programs with named uniforms, and batches of equal shapes.

class Graphics {
  constructor(canvas) {
    this.gl = canvas.getContext("webgl2", { antialias: false, depth: false, alpha: true, powerPreference: "high-performance" });
    if (!this.gl) throw new Error("This browser offers no WebGL 2, which the page needs to draw.");
    this.programs = {};
    for (const [name, source] of Object.entries(SHADERS)) this.programs[name] = this.compile(name, source);
    this.nothing = this.gl.createVertexArray(); // for shapes that are made from gl_VertexID alone
  }

  compile(name, { vertex, fragment }) {
    const { gl } = this;
    const handle = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(`shader ${name}: ${gl.getShaderInfoLog(shader)}`);
      }
      gl.attachShader(handle, shader);
    }
    gl.linkProgram(handle);
    if (!gl.getProgramParameter(handle, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`program ${name}: ${gl.getProgramInfoLog(handle)}`);
    }
    const uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS); k++) {
      const { name: uniform, type } = gl.getActiveUniform(handle, k);
      const at = gl.getUniformLocation(handle, uniform);
      uniforms[uniform] = {
        [gl.FLOAT]: (x) => gl.uniform1f(at, x),
        [gl.FLOAT_VEC2]: (x) => gl.uniform2fv(at, x),
        [gl.FLOAT_VEC3]: (x) => gl.uniform3fv(at, x),
        [gl.FLOAT_VEC4]: (x) => gl.uniform4fv(at, x),
        [gl.FLOAT_MAT4]: (x) => gl.uniformMatrix4fv(at, false, x),
        [gl.SAMPLER_2D_SHADOW]: (x) => gl.uniform1i(at, x),
      }[type];
    }
    return { handle, uniforms };
  }

  /** Makes a program current and sets those of `values` that it knows. */
  use(name, ...values) {
    const { handle, uniforms } = this.programs[name];
    this.gl.useProgram(handle);
    for (const set of values) for (const uniform in set) uniforms[uniform]?.(set[uniform]);
  }

  /** Draws the four corners of a square that the vertex shader makes up. */
  square() {
    this.gl.bindVertexArray(this.nothing);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }
}

const MOVING = 8; // position, stretch, rotation
const CONSTANT = 8; // scale, id, colour

/** Many instances of one shape, drawn by one call. */
class Batch {
  constructor(gl, geometry, capacity) {
    this.gl = gl;
    this.count = 0;
    this.movingBuffer = gl.createBuffer();
    this.constantBuffer = gl.createBuffer();
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.positions = this.attribute(0, 4, new Float32Array(geometry.positions));
    this.normals = this.attribute(1, 3, new Float32Array(geometry.normals));
    for (const [buffer, first] of [[this.movingBuffer, 2], [this.constantBuffer, 4]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      for (const k of [0, 1]) {
        gl.enableVertexAttribArray(first + k);
        gl.vertexAttribPointer(first + k, 4, gl.FLOAT, false, 32, 16 * k);
        gl.vertexAttribDivisor(first + k, 1);
      }
    }
    if (geometry.values) this.values = this.attribute(6, 1, new Float32Array(geometry.values));
    this.triangleCount = geometry.triangles.length;
    this.triangles = this.indices(geometry.triangles);
    this.lineCount = geometry.lines.length;
    this.lines = this.indices(geometry.lines);
    this.reserve(capacity);
  }

  attribute(location, size, data) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
    return buffer;
  }

  indices(list) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(list), gl.STATIC_DRAW);
    return buffer;
  }

  reserve(capacity) {
    if (this.moving && this.moving.length >= MOVING * capacity) return;
    const grown = Math.max(1, capacity);
    const moving = new Float32Array(MOVING * grown), constant = new Float32Array(CONSTANT * grown);
    if (this.moving) {
      moving.set(this.moving);
      constant.set(this.constant);
    }
    this.moving = moving;
    this.constant = constant;
  }

  place(k, position, rotation, stretch) {
    const at = MOVING * k, { moving } = this;
    moving[at] = position[0];
    moving[at + 1] = position[1];
    moving[at + 2] = position[2];
    moving[at + 3] = stretch;
    moving[at + 4] = rotation[0];
    moving[at + 5] = rotation[1];
    moving[at + 6] = rotation[2];
    moving[at + 7] = rotation[3];
  }

  paint(k, scale, id, color) {
    this.constant.set([scale[0], scale[1], scale[2], id, ...color], CONSTANT * k);
  }

  uploadMoving() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.movingBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.moving, gl.DYNAMIC_DRAW, 0, MOVING * this.count);
  }

  uploadConstant() {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.constantBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.constant, gl.DYNAMIC_DRAW, 0, CONSTANT * this.count);
  }

  draw() { this.drawElements(this.triangles, this.gl.TRIANGLES, this.triangleCount); }
  drawLines() { this.drawElements(this.lines, this.gl.LINES, this.lineCount); }

  drawElements(indices, mode, length) {
    if (!this.count) return;
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.drawElementsInstanced(mode, length, gl.UNSIGNED_INT, 0, this.count);
  }
}
