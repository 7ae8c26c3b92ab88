// Vectors are arrays of 3, quaternions of 4 (x, y, z, w), matrices Float32Arrays of 16, column by column.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const normalized = (a) => scaled(a, 1 / (norm(a) || 1));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** Some vector at a right angle to the unit vector `a`. */
function perpendicular(a) {
  return normalized(cross(a, Math.abs(a[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
}

/** Rotates the vector `v` by the quaternion `q`. */
function rotated(q, v) {
  const t = scaled(cross(q, v), 2); // cross reads the first three components
  const u = cross(q, t);
  return [v[0] + q[3] * t[0] + u[0], v[1] + q[3] * t[1] + u[1], v[2] + q[3] * t[2] + u[2]];
}

/** The rotation `a` after the rotation `b`. */
function composed(a, b) {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

/** The shortest rotation that takes +z to the unit vector `direction`. */
function rotationFromZ(direction) {
  const w = 1 + direction[2];
  if (w < 1e-6) return [1, 0, 0, 0];
  const length = Math.hypot(direction[1], direction[0], w);
  return [-direction[1] / length, direction[0] / length, 0, w / length];
}

function product(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const out = new Float32Array(16);
  out[0] = f / aspect;
  out[5] = f;
  out[10] = (far + near) / (near - far);
  out[11] = -1;
  out[14] = (2 * far * near) / (near - far);
  return out;
}

/** A box of half width `radius` around the origin, `depth` to both sides. */
function orthographic(radius, depth) {
  const out = new Float32Array(16);
  out[0] = out[5] = 1 / radius;
  out[10] = -1 / depth;
  out[15] = 1;
  return out;
}

/** From world coordinates to those of an eye that looks along its -z. */
function lookAt(eye, target, up) {
  const z = normalized(subtract(eye, target));
  const x = normalized(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}

/** 1, 2 or 5 times a power of ten, not above `x`. */
function roundNumber(x) {
  if (!(x > 0) || !isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x) + 1e-9);
  const digit = x / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

const PREFIXES = { "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G" };

/** A number with an SI prefix and a unit, for people. */
function withUnit(x, unit, digits = 3) {
  if (Number.isNaN(x)) return "not a number";
  if (!isFinite(x)) return (x < 0 ? "−∞ " : "∞ ") + unit;
  const size = Math.abs(x);
  if (size < 1e-12) return `0 ${unit}`;
  const power = clamp(3 * Math.floor(Math.log10(size) / 3 + 1e-9), -12, 9);
  const text = (x / 10 ** power).toPrecision(digits);
  const plain = text.includes("e") ? String(Number(text)) : text;
  return `${plain.replace("-", "−")} ${PREFIXES[power]}${unit}`;
}

/** A number with so many digits behind the point, and no minus before zero. */
function fixed(x, digits) {
  if (!isFinite(x)) return "–";
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** How many digits behind the point show about a thousandth of `size`. */
const digitsFor = (size) => clamp(Math.ceil(3 - Math.log10(size || 1)), 0, 7);
