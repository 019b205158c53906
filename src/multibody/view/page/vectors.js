// Vectors of three numbers, unit quaternions (w, x, y, z), and 4×4 matrices by columns, as WebGL wants them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** A vector turned by a unit quaternion: v + 2w·(r × v) + 2r × (r × v). */
function turned([w, x, y, z], v) {
  const r = [x, y, z];
  const once = cross(r, v);
  return add(v, add(scaled(once, 2 * w), scaled(cross(r, once), 2)));
}

/** A point of a place in the coordinates of the world. */
const pointOn = (pose, point) => add(pose.position, turned(pose.quaternion, point));

/** The shortest turn of the z axis to a direction, as in `turning_z_to` of the Python side. */
function turningZTo(direction) {
  const length = Math.hypot(...direction);
  const [x, y, z] = length > 0 ? scaled(direction, 1 / length) : [0, 0, 1];
  if (1 + z <= 1e-12) return [0, 1, 0, 0];
  const raw = Math.hypot(1 + z, x, y);
  return [(1 + z) / raw, -y / raw, x / raw, 0];
}

/** The matrix of a pose. */
function rigid({ position, quaternion: [w, x, y, z] }) {
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    ...position, 1,
  ]);
}

/** The product of two matrices, a·b. */
function product(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 16; column += 4) {
    for (let row = 0; row < 4; row += 1) {
      for (let k = 0; k < 4; k += 1) out[column + row] += a[4 * k + row] * b[column + k];
    }
  }
  return out;
}

/** The perspective of a camera that looks along -z. */
function perspective(field, aspect, near, far) {
  const f = 1 / Math.tan(field / 2);
  return new Float32Array([
    f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0,
  ]);
}

/** From the world to a camera. */
function lookAt(eye, target, up) {
  const z = unit(sub(eye, target));
  const x = unit(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}

/** Numbers that travelled as text. */
function unpacked(text, Kind = Float32Array) {
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}
