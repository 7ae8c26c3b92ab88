// A camera that circles around a target; z is up.

const FIELD_OF_VIEW = (38 * Math.PI) / 180;
const DEFAULT_YAW = -0.95, DEFAULT_PITCH = 0.36;

class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.yaw = DEFAULT_YAW; // where the eye is, seen from the target: 0 is +x
    this.pitch = DEFAULT_PITCH; // above the horizon, rad
    this.distance = 3;
    this.width = this.height = 1;
    this.goal = null;
    this.touched = false; // the user chose the view
  }

  /** Unit vector from the target to the eye. */
  get direction() {
    const c = Math.cos(this.pitch);
    return [c * Math.cos(this.yaw), c * Math.sin(this.yaw), Math.sin(this.pitch)];
  }

  get eye() { return add(this.target, scaled(this.direction, this.distance)); }
  get right() { return [-Math.sin(this.yaw), Math.cos(this.yaw), 0]; }
  get up() { return cross(this.direction, this.right); }

  matrix() {
    const near = this.distance / 100, far = this.distance * 100;
    return product(perspective(FIELD_OF_VIEW, this.width / this.height, near, far), lookAt(this.eye, this.target, this.up));
  }

  /** Size of a pixel of the page at a place of the world, m. */
  pixelSize(place) {
    const depth = Math.max(dot(subtract(this.eye, place), this.direction), this.distance / 100);
    return (2 * depth * Math.tan(FIELD_OF_VIEW / 2)) / this.height;
  }

  touch() {
    this.goal = null;
    this.touched = true;
  }

  turn(dx, dy) {
    this.touch();
    this.yaw -= dx * 0.008;
    this.pitch = clamp(this.pitch + dy * 0.008, -1.55, 1.55);
  }

  /** Moves the target so that the scene follows the pointer by (dx, dy) pixels. */
  pan(dx, dy) {
    this.touch();
    const step = this.pixelSize(this.target);
    this.target = add(this.target, add(scaled(this.right, -dx * step), scaled(this.up, dy * step)));
  }

  /** Comes nearer by the factor, keeping the point under the pointer (pixels from the centre) in place. */
  zoom(factor, x = 0, y = 0) {
    this.touch();
    const limited = clamp(this.distance * factor, 1e-4, 1e5) / this.distance;
    const step = this.pixelSize(this.target) * (1 - limited);
    this.target = add(this.target, add(scaled(this.right, x * step), scaled(this.up, -y * step)));
    this.distance *= limited;
  }

  /** The view from `yaw` and `pitch` that just shows all spheres [centre, radius] of `bounds`. */
  framed(bounds, yaw = this.yaw, pitch = this.pitch) {
    const seen = Object.assign(new Camera(), { yaw, pitch });
    const [x, y, z] = [seen.right, seen.up, seen.direction];
    const high = Math.tan(FIELD_OF_VIEW / 2), wide = (high * this.width) / this.height;
    let target = bounds.center, distance = 0;
    for (let pass = 0; pass < 8; pass++) {
      // The margin that each side needs if the eye stood at distance 0; moving sideways evens them out.
      let left = 0, right = 0, below = 0, above = 0;
      for (const [center, radius] of bounds.spheres) {
        const p = subtract(center, target), depth = dot(p, z) + radius, px = dot(p, x), py = dot(p, y);
        right = Math.max(right, depth + (px + radius) / wide);
        left = Math.max(left, depth + (radius - px) / wide);
        above = Math.max(above, depth + (py + radius) / high);
        below = Math.max(below, depth + (radius - py) / high);
      }
      distance = Math.max(right, left, above, below);
      target = add(target, add(scaled(x, ((right - left) / 2) * wide * 0.8), scaled(y, ((above - below) / 2) * high * 0.8)));
    }
    return { target, distance: Math.max(1.12 * distance, 1e-4) };
  }

  /** Glides to a view, or jumps there. */
  goTo(view, atOnce = false) {
    if (atOnce) Object.assign(this, view);
    this.goal = atOnce ? null : view;
  }

  /** One step of gliding; returns whether it still moves. */
  glide(seconds) {
    if (!this.goal) return false;
    const share = 1 - Math.exp(-10 * seconds);
    let left = 0;
    for (const [key, value] of Object.entries(this.goal)) {
      if (key === "target") {
        const gap = subtract(value, this.target);
        this.target = add(this.target, scaled(gap, share));
        left = Math.max(left, norm(gap) / this.distance);
      } else {
        const gap = key === "yaw" ? Math.atan2(Math.sin(value - this.yaw), Math.cos(value - this.yaw)) : value - this[key];
        this[key] += gap * share;
        left = Math.max(left, Math.abs(gap) / (key === "distance" ? this.distance : 1));
      }
    }
    if (left < 1e-3) {
      Object.assign(this, this.goal);
      this.goal = null;
    }
    return true;
  }
}
