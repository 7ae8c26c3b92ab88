// The programs of the graphics card. World axes, z up; colours arrive in sRGB.

const VERTEX_COMMON = `#version 300 es
precision highp float;
layout(location = 0) in vec4 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec4 i_place;    // position, stretch
layout(location = 3) in vec4 i_rotation;
layout(location = 4) in vec4 i_scale;    // scale, id
layout(location = 5) in vec4 i_color;
layout(location = 6) in float a_value;   // of deformables: stress from 0 to 1, or side of a rod from -1 to 1
uniform mat4 u_camera;
vec3 turned(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
vec3 placed() {
  vec3 local = a_position.xyz * i_scale.xyz + vec3(0.0, 0.0, a_position.w * i_place.w);
  return i_place.xyz + turned(i_rotation, local);
}
`;

// A gamma of 2 stands for that of sRGB: near enough for the eye, and cheap in software.
const COLORS = `
uniform vec3 u_to_light;
uniform vec3 u_sky;
uniform vec3 u_bounce;
vec3 linear(vec3 c) { return c * c; }
vec3 display(vec3 c) { return sqrt(min(c, 1.0)); }
`;

const LIGHTING = COLORS + `
uniform mediump sampler2DShadow u_shadow;
uniform float u_soft_shadow;
float lit(vec3 p) { // p: place in the shadow map, 0 to 1
  if (any(greaterThan(abs(p - 0.5), vec3(0.5)))) return 1.0;
  if (u_soft_shadow < 0.5) return texture(u_shadow, p);
  vec2 texel = 1.2 / vec2(textureSize(u_shadow, 0));
  float sum = 2.0 * texture(u_shadow, p);
  sum += texture(u_shadow, p + vec3(texel.x, texel.y, 0.0)) + texture(u_shadow, p + vec3(-texel.x, texel.y, 0.0));
  sum += texture(u_shadow, p + vec3(texel.x, -texel.y, 0.0)) + texture(u_shadow, p - vec3(texel.x, texel.y, 0.0));
  return sum / 6.0;
}
`;

// Colours of a scale from 0 to 1: as bright as they are high, and told apart by the colour-blind.
const SCALE_COLORS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

const SCALE = `
vec3 scale_color(float value) {
  float at = ${(SCALE_COLORS.length - 1).toFixed(1)} * clamp(value, 0.0, 1.0);
  vec3 c = ${glslColor(SCALE_COLORS[0])};
${SCALE_COLORS.slice(1).map((color, k) => `  c = mix(c, ${glslColor(color)}, clamp(at - ${k}.0, 0.0, 1.0));`).join("\n")}
  return c;
}
`;

function glslColor(color) { return `vec3(${color.map((part) => (part / 255).toFixed(4)).join(", ")})`; }

const SHADERS = {
  solid: {
    vertex: VERTEX_COMMON + `
uniform mat4 u_light;
uniform float u_bias;
out vec3 v_position; out vec3 v_normal; out vec4 v_color; out vec3 v_light; out vec3 v_local; out float v_value;
flat out float v_id;
void main() {
  vec3 world = placed();
  v_value = a_value;
  v_position = world;
  v_normal = turned(i_rotation, a_normal / i_scale.xyz);
  v_color = i_color;
  v_local = a_position.xyz;
  v_id = i_scale.w;
  vec4 light = u_light * vec4(world + normalize(v_normal) * u_bias, 1.0);
  v_light = light.xyz * 0.5 + 0.5;
  gl_Position = u_camera * vec4(world, 1.0);
}`,
    fragment: `#version 300 es
precision highp float;
in vec3 v_position; in vec3 v_normal; in vec4 v_color; in vec3 v_light; in vec3 v_local; in float v_value;
flat in float v_id;
uniform vec3 u_eye;
uniform float u_selected;
uniform vec3 u_accent;
uniform float u_marks;
out vec4 color;
${LIGHTING}
${SCALE}
void main() {
  vec3 n = normalize(v_normal);
  vec3 to_eye = normalize(u_eye - v_position);
  if (dot(n, to_eye) < 0.0 && !gl_FrontFacing) n = -n;
  vec3 albedo = linear(v_color.rgb);
  if (u_marks > 3.5) albedo = linear(scale_color(v_value)); // stress
  else if (u_marks > 2.5) { // a rod's two halves, so that its twist is seen
    albedo *= 0.66 + 0.34 * clamp(v_value / max(fwidth(v_value), 1e-5), -1.0, 1.0);
  } else if (u_marks > 0.5) { // octants in two shades, so that rolling is seen
    vec3 p = v_local / max(fwidth(v_local), vec3(1e-5));
    vec3 s = clamp(p, -1.0, 1.0);
    albedo *= 0.86 + 0.14 * s.x * s.y * (u_marks > 1.5 ? 1.0 : s.z);
  }
  float toward = dot(n, u_to_light);
  float key = max(toward, 0.0);
  if (key > 0.0) key *= lit(v_light);
  vec3 ambient = mix(u_bounce, u_sky, 0.5 + 0.5 * n.z);
  vec3 half_way = normalize(u_to_light + to_eye);
  float shine = max(dot(n, half_way), 0.0);
  shine *= shine; shine *= shine; shine *= shine; shine *= shine; shine *= shine; // to the 32nd
  shine *= 0.2 * step(1e-4, key);
  float rim = 1.0 - max(dot(n, to_eye), 0.0);
  rim *= rim; rim *= rim;
  vec3 c = albedo * (ambient + 0.88 * key * vec3(1.0, 0.97, 0.92)) + shine + 0.10 * rim * u_sky;
  if (abs(v_id - u_selected) < 0.5) c = mix(c, u_accent, 0.22 + 0.6 * rim);
  color = vec4(display(c), v_color.a);
}`,
  },

  // The same light, but reckoned at the vertices: for merged bodies, whose triangles are small and many.
  hasty: {
    vertex: VERTEX_COMMON + COLORS + `
uniform mat4 u_light;
uniform float u_bias, u_selected;
uniform vec3 u_eye, u_accent;
out vec3 v_ambient; out vec3 v_key; out vec3 v_light;
void main() {
  vec3 world = a_position.xyz;
  vec3 n = normalize(a_normal);
  vec3 albedo = linear(i_color.rgb);
  float rim = 1.0 - max(dot(n, normalize(u_eye - world)), 0.0);
  rim *= rim; rim *= rim;
  v_ambient = albedo * mix(u_bounce, u_sky, 0.5 + 0.5 * n.z) + 0.10 * rim * u_sky;
  v_key = albedo * 0.88 * max(dot(n, u_to_light), 0.0) * vec3(1.0, 0.97, 0.92);
  if (abs(i_scale.w - u_selected) < 0.5) {
    v_ambient = mix(v_ambient, u_accent, 0.22 + 0.6 * rim);
    v_key *= 0.78;
  }
  v_light = (u_light * vec4(world + n * u_bias, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = u_camera * vec4(world, 1.0);
}`,
    fragment: `#version 300 es
precision mediump float;
in vec3 v_ambient; in vec3 v_key; in highp vec3 v_light;
uniform mediump sampler2DShadow u_shadow;
out vec4 color;
void main() { color = vec4(sqrt(min(v_ambient + v_key * texture(u_shadow, v_light), 1.0)), 1.0); }`,
  },

  depth: {
    vertex: VERTEX_COMMON + `void main() { gl_Position = u_camera * vec4(placed(), 1.0); }`,
    fragment: `#version 300 es
precision mediump float;
void main() {}`,
  },

  identity: {
    vertex: VERTEX_COMMON + `
flat out float v_id;
void main() { v_id = i_scale.w; gl_Position = u_camera * vec4(placed(), 1.0); }`,
    fragment: `#version 300 es
precision highp float;
flat in float v_id;
out vec4 color;
void main() {
  float id = v_id + 1.0;
  color = vec4(mod(id, 256.0), mod(floor(id / 256.0), 256.0), floor(id / 65536.0), 255.0) / 255.0;
}`,
  },

  // Contact marks, arrows and wireframes: the colour as given, a little shaded.
  flat: {
    vertex: VERTEX_COMMON + `
out vec4 v_color; out float v_shade;
uniform float u_shaded;
uniform vec3 u_toward;
void main() {
  vec3 n = normalize(turned(i_rotation, a_normal / i_scale.xyz));
  v_shade = mix(1.0, 0.72 + 0.28 * dot(n, u_toward), u_shaded);
  v_color = i_color;
  gl_Position = u_camera * vec4(placed(), 1.0);
}`,
    fragment: `#version 300 es
precision mediump float;
in vec4 v_color; in float v_shade;
uniform float u_opacity;
out vec4 color;
void main() { color = vec4(v_color.rgb * v_shade, v_color.a * u_opacity); }`,
  },

  // Contact points: discs of a size in pixels, with a rim that keeps them apart from what is behind.
  disc: {
    vertex: `#version 300 es
precision highp float;
layout(location = 0) in vec4 a_place; // position, radius in pixels of the page
layout(location = 1) in vec4 a_color;
uniform mat4 u_camera;
uniform float u_scale;
out vec4 v_color;
void main() {
  v_color = a_color;
  gl_Position = u_camera * vec4(a_place.xyz, 1.0);
  gl_PointSize = max(2.0 * a_place.w * u_scale, 3.0);
}`,
    fragment: `#version 300 es
precision mediump float;
in vec4 v_color;
uniform float u_opacity;
out vec4 color;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float r = dot(p, p);
  if (r > 1.0) discard;
  color = vec4(v_color.rgb * (r > 0.62 ? 0.45 : 1.0), v_color.a * u_opacity);
}`,
  },

  background: {
    vertex: `#version 300 es
out vec2 v_place;
void main() {
  v_place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
  gl_Position = vec4(v_place * 2.0 - 1.0, 0.9999, 1.0);
}`,
    fragment: `#version 300 es
precision mediump float;
in vec2 v_place;
uniform vec3 u_top; uniform vec3 u_bottom;
out vec4 color;
void main() { color = vec4(mix(u_bottom, u_top, smoothstep(0.15, 1.0, v_place.y)), 1.0); }`,
  },

  // A plane through u_place with axes u_x, u_y: grid lines, shadow, fading out around u_center.
  ground: {
    vertex: `#version 300 es
precision highp float;
uniform mat4 u_camera; uniform mat4 u_light;
uniform vec3 u_place, u_x, u_y; uniform vec2 u_center; uniform float u_reach;
out vec2 v_plane; out vec3 v_light;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  v_plane = u_center + corner * u_reach;
  vec3 world = u_place + u_x * v_plane.x + u_y * v_plane.y;
  v_light = (u_light * vec4(world, 1.0)).xyz * 0.5 + 0.5;
  gl_Position = u_camera * vec4(world, 1.0);
}`,
    fragment: `#version 300 es
precision highp float;
in vec2 v_plane; in vec3 v_light;
uniform vec2 u_center; uniform float u_reach, u_cell, u_lines, u_body, u_facing, u_exposure;
uniform vec4 u_color; uniform vec3 u_line_color, u_normal;
out vec4 color;
${LIGHTING}
float grid(vec2 p, vec2 w, float width) { // w: how much p changes from pixel to pixel
  vec2 d = abs(fract(p - 0.5) - 0.5) / w;
  float line = 1.0 - clamp(min(d.x, d.y) - width + 0.5, 0.0, 1.0);
  return line * clamp(0.5 / max(w.x, w.y) - 0.25, 0.0, 1.0); // too fine to be drawn: gone
}
void main() {
  vec2 away = (v_plane - u_center) / u_reach;
  float fade = clamp(1.1 - 1.1 * dot(away, away) - 0.6 * length(away) , 0.0, 1.0);
  float line = 0.0;
  if (u_lines > 0.5) {
    vec2 p = v_plane / u_cell;
    vec2 w = max(fwidth(p), vec2(1e-6));
    line = max(0.32 * grid(p, w, 0.6), 0.75 * grid(p / 5.0, w / 5.0, 0.8));
  }
  float light = lit(v_light);
  vec3 surface = linear(u_color.rgb) * u_exposure * (0.5 * u_sky + 0.3 * u_bounce + 0.75 * max(dot(u_normal, u_to_light), 0.0) * light);
  vec3 c = mix(display(surface), u_line_color, line);
  float shade = u_body > 0.5 ? 1.0 : max(line, 0.38 * (1.0 - light));
  if (u_body < 0.5) c = mix(vec3(0.0), u_line_color, line / max(shade, 1e-4));
  color = vec4(c, shade * fade * u_color.a * u_facing);
}`,
  },
};
