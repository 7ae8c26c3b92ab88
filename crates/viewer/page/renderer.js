// Draws one picture: shadow map, background, bodies, ground, contacts.

// From best to fastest: device pixels per pixel of the page and most pixels at all, samples per pixel, size of
// the shadow map, soft shadows, every how many-th picture the shadow map is drawn anew, and whether bodies are merged
// into one mesh of coarse shapes.
const QUALITIES = [
  { scale: 2, samples: 4, shadow: 2048, soft: 1, shadowEvery: 1 },
  { scale: 1, samples: 4, shadow: 2048, soft: 1, shadowEvery: 1 },
  { scale: 1, samples: 0, shadow: 1024, soft: 1, shadowEvery: 1 },
  { scale: 0.75, pixels: 4e5, samples: 0, shadow: 1024, soft: 0, shadowEvery: 2, merged: true },
  { scale: 0.5, pixels: 2e5, samples: 0, shadow: 512, soft: 0, shadowEvery: 3, merged: true },
  { scale: 0.4, pixels: 1.1e5, samples: 0, shadow: 512, soft: 0, shadowEvery: 4, merged: true },
];

const TO_LIGHT = normalized([0.45, -0.55, 1.05]);
const THEMES = {
  dark: {
    top: [0.075, 0.092, 0.118], bottom: [0.165, 0.190, 0.225], line: [0.47, 0.53, 0.60], sky: [0.30, 0.34, 0.40], bounce: [0.13, 0.125, 0.13],
    accent: [0.07, 0.36, 1.0], ground: [0.40, 0.43, 0.47, 1], exposure: 0.42,
  },
  light: {
    top: [0.80, 0.86, 0.925], bottom: [0.965, 0.97, 0.975], line: [0.48, 0.53, 0.58], sky: [0.50, 0.54, 0.60], bounce: [0.33, 0.31, 0.29],
    accent: [0.0, 0.22, 0.85], ground: [0.93, 0.935, 0.94, 1], exposure: 1.4,
  },
};

class Renderer {
  constructor(canvas, run) {
    this.canvas = canvas;
    this.graphics = new Graphics(canvas);
    const { gl } = this.graphics;
    this.gl = gl;
    this.run = run;
    this.sets = {}; // visuals and colliders, made when they are first shown
    this.deformables = new Deformables(gl, run);
    this.contacts = new Contacts(gl, run);
    this.framebuffer = null;
    this.shadow = null;
    this.pictures = 0;
    gl.pixelStorei(gl.PACK_ALIGNMENT, 1);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Whether the processor does the work of a graphics card. */
  get inSoftware() {
    const names = this.gl.getExtension("WEBGL_debug_renderer_info");
    return /swiftshader|llvmpipe|software/i.test(names ? this.gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "");
  }

  /** Calls `then` with the seconds that the pictures ordered so far took, once they are done. */
  whenDone(then) {
    const { gl } = this;
    const start = performance.now();
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    const look = () => {
      if (gl.isContextLost()) return;
      if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) {
        setTimeout(look, 2);
        return;
      }
      gl.deleteSync(fence);
      then((performance.now() - start) / 1000);
    };
    setTimeout(look, 2);
  }

  /** Colours of the theme and of contact states as CSS names them. */
  setTheme(name) {
    this.theme = THEMES[name];
    const style = getComputedStyle(document.documentElement);
    this.contactColors = Object.fromEntries(STATES.map((state) => {
      const hex = style.getPropertyValue(`--${state}`).trim();
      return [state, [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).concat(1)];
    }));
  }

  resize(quality) {
    const { canvas, gl } = this;
    const { clientWidth, clientHeight } = canvas;
    const scale = Math.min(
      quality.scale, Math.max(1, devicePixelRatio) * Math.min(1, quality.scale), Math.sqrt((quality.pixels ?? Infinity) / (clientWidth * clientHeight || 1)));
    const width = Math.max(1, Math.round(clientWidth * scale)), height = Math.max(1, Math.round(clientHeight * scale));
    const wanted = `${width}×${height}×${quality.samples}`;
    if (this.framebuffer?.name !== wanted) {
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      if (this.framebuffer) {
        gl.deleteFramebuffer(this.framebuffer.handle);
        for (const buffer of this.framebuffer.buffers) gl.deleteRenderbuffer(buffer);
      }
      this.framebuffer = this.multisampled(width, height, quality.samples, wanted);
    }
    if (this.shadow?.size !== quality.shadow) {
      if (this.shadow) {
        gl.deleteTexture(this.shadow.texture);
        gl.deleteFramebuffer(this.shadow.handle);
      }
      this.shadow = this.shadowMap(quality.shadow);
      this.shadowState = "";
    }
    return [width, height];
  }

  multisampled(width, height, samples, name) {
    const { gl } = this;
    const handle = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, handle);
    const buffers = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]].map(([format, place]) => {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
      return buffer;
    });
    return { name, handle, buffers };
  }

  shadowMap(size) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    for (const [parameter, value] of [
      [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL], [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    ]) gl.texParameteri(gl.TEXTURE_2D, parameter, value);
    const handle = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, handle);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    return { size, texture, handle };
  }

  /** The bodies as they look, or as they collide. */
  bodies({ colliders }) {
    const name = colliders ? "colliders" : "visuals";
    return (this.sets[name] ??= new Bodies(this.gl, this.run, name));
  }

  /** What casts shadows, can be picked and is drawn solid. */
  batches(options) {
    if (!this.moment) return []; // no frame yet
    return [...this.bodies(options).batches, ...this.deformables.batches];
  }

  /** Takes over the poses of `moment`. */
  update(moment, options) {
    this.moment = moment;
    this.bodies(options).update(moment);
    this.deformables.update(moment, options.stress);
  }

  render(camera, options, quality) {
    const { gl, graphics, theme } = this;
    const [width, height] = this.resize(quality);
    const batches = this.batches(options);
    const bodies = this.bodies(options);
    const merge = quality.merged && this.moment && !options.wireframe;
    const opaque = merge ? [bodies.asOne(), ...this.deformables.batches] : batches.filter((batch) => !batch.clear);
    const clear = batches.filter((batch) => batch.clear);
    const light = this.lightMatrix(camera);
    const shadowState = `${light.matrix} ${options.colliders}`;
    if (!options.wireframe && (!quality.shadowEvery || this.pictures++ % quality.shadowEvery === 0 || shadowState !== this.shadowState)) {
      this.drawShadowMap([...opaque, ...clear], light);
      this.shadowState = shadowState;
    }

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer.handle);
    gl.viewport(0, 0, width, height);
    gl.clearDepth(1);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    graphics.use("background", { u_top: theme.top, u_bottom: theme.bottom });
    graphics.square();

    gl.enable(gl.DEPTH_TEST);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, quality.soft ? gl.LINEAR : gl.NEAREST);
    const shared = {
      u_camera: camera.matrix(), u_light: light.matrix, u_shadow: 0, u_soft_shadow: quality.soft, u_to_light: TO_LIGHT, u_sky: theme.sky,
      u_bounce: theme.bounce, u_eye: camera.eye, u_selected: options.selected ?? -1, u_accent: theme.accent, u_bias: 2.5 * light.texel,
    };
    if (options.wireframe) this.drawWireframe(batches, shared);
    else this.drawSolid(opaque, shared, false);
    this.drawGrounds(camera, options, shared);
    if (!options.wireframe) this.drawSolid(clear, shared, true);
    this.drawContacts(camera, options, shared);

    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.framebuffer.handle);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** The light sees a sphere around the target; it moves by whole texels, so that edges do not shimmer. */
  lightMatrix(camera) {
    const radius = 1.25 ** Math.ceil(Math.log(camera.distance * 0.75) / Math.log(1.25));
    const texel = (2 * radius) / this.shadow.size;
    const x = perpendicular(TO_LIGHT), y = cross(TO_LIGHT, x);
    const snap = (axis) => Math.round(dot(camera.target, axis) / texel) * texel;
    const center = add(add(scaled(x, snap(x)), scaled(y, snap(y))), scaled(TO_LIGHT, dot(camera.target, TO_LIGHT)));
    const view = lookAt(add(center, scaled(TO_LIGHT, radius)), center, y);
    return { matrix: product(orthographic(radius, 4 * radius), view), texel };
  }

  drawShadowMap(batches, light) {
    const { gl, graphics, shadow } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, shadow.handle);
    gl.viewport(0, 0, shadow.size, shadow.size);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 2);
    graphics.use("depth", { u_camera: light.matrix });
    for (const batch of batches) batch.draw();
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  drawSolid(batches, shared, clear) {
    const { gl, graphics } = this;
    if (clear) {
      gl.enable(gl.BLEND);
      gl.depthMask(false);
    }
    graphics.use("solid", shared);
    for (const batch of batches) {
      if (batch instanceof Merged) graphics.use("hasty", shared);
      else graphics.use("solid", { u_marks: batch.marks });
      batch.draw();
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawWireframe(batches, shared) {
    this.graphics.use("flat", shared, { u_shaded: 0, u_toward: TO_LIGHT, u_opacity: 1 });
    for (const batch of batches) batch.drawLines();
  }

  /** Planes of the scene; without one, a reference grid at z = 0. */
  drawGrounds(camera, options, shared) {
    const { gl, graphics, theme } = this;
    const cell = roundNumber(camera.distance / 8);
    const known = this.moment ? this.bodies(options).planes : [];
    const planes = known.map(({ body, shape }) => {
      const q = this.moment.rotation(body);
      const place = add(this.moment.position(body), rotated(q, shape.pose.position));
      return { place, rotation: composed(q, shape.pose.rotation), color: shape.color, body: 1 };
    });
    if (!planes.length && options.grid) planes.push({ place: [0, 0, 0], rotation: [0, 0, 0, 1], color: theme.ground, body: 0 });
    gl.enable(gl.BLEND);
    for (const { place, rotation, color, body } of planes) {
      const [x, y, z] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => rotated(rotation, axis));
      const from = subtract(camera.target, place);
      const above = dot(subtract(camera.eye, place), z) > 0;
      gl.depthMask(body > 0 && above);
      graphics.use("ground", shared, {
        u_place: place, u_x: x, u_y: y, u_normal: z, u_center: [dot(from, x), dot(from, y)], u_reach: 3.2 * camera.distance, u_exposure: theme.exposure, u_cell: cell,
        u_lines: options.grid ? 1 : 0, u_body: body, u_color: color, u_line_color: theme.line, u_facing: above || !body ? 1 : 0.25,
      });
      graphics.square();
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawContacts(camera, options, shared) {
    if (!this.moment || (!options.contacts && !options.forces)) return;
    const { gl, graphics, contacts } = this;
    contacts.update(this.moment.frame, camera, options.radius, this.contactColors, options.forces);
    const draw = (opacity) => {
      const uniforms = { u_shaded: 1, u_toward: camera.direction, u_scale: this.canvas.width / camera.width, u_opacity: opacity };
      graphics.use("disc", shared, uniforms);
      if (options.contacts) contacts.discs.draw();
      graphics.use("flat", shared, uniforms);
      if (options.forces) contacts.arrows.draw();
    };
    draw(1);
    // Once more where bodies are in front, faintly: most contacts are hidden between bodies.
    gl.enable(gl.BLEND);
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    draw(0.38);
    gl.depthMask(true);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
  }

  /** Index of the body (then deformable) at a pixel of the page, or null. */
  pick(camera, options, x, y) {
    const { gl, graphics, canvas } = this;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    const name = `pick ${width}×${height}`;
    if (this.picking?.name !== name) {
      if (this.picking) {
        gl.deleteFramebuffer(this.picking.handle);
        for (const buffer of this.picking.buffers) gl.deleteRenderbuffer(buffer);
      }
      this.picking = this.multisampled(width, height, 0, name);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picking.handle);
    gl.viewport(0, 0, width, height);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(x, height - 1 - y, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    graphics.use("identity", { u_camera: camera.matrix() });
    for (const batch of this.batches(options)) batch.draw();
    const pixel = new Uint8Array(4);
    gl.readPixels(x, height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const id = pixel[0] + 256 * pixel[1] + 65536 * pixel[2];
    return id > 0 ? id - 1 : null;
  }
}
