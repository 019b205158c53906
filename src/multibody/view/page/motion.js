// Poses of all places along an axis: time, or a coordinate that is swept.

const NUMBERS = 7; // of a pose: position, then quaternion

class Motion {
  constructor(data, rest) {
    this.name = data.name;
    this.unit = data.unit;
    this.meaning = data.meaning;
    this.start = data.start;
    this.axis = unpacked(data.axis, Float64Array);
    this.moving = data.moving;
    this.frames = unpacked(data.frames);
    this.rest = rest;
    this.row = new Map(data.moving.map((place, row) => [place, row]));
  }

  get first() { return this.axis[0]; }
  get last() { return this.axis[this.axis.length - 1]; }

  /** The number of the frame at or before a value, and how far the value is on the way to the next one. */
  locate(value) {
    const axis = this.axis;
    let low = 0;
    let high = axis.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (axis[middle] <= value) low = middle; else high = middle;
    }
    const step = axis[high] - axis[low];
    return [low, step > 0 ? clamp((value - axis[low]) / step, 0, 1) : 0];
  }

  /** The poses of all places: positions between frames on straight lines, quaternions on the shorter arc. */
  at(value) {
    const [frame, share] = this.locate(value);
    const next = Math.min(frame + 1, this.axis.length - 1);
    const count = this.moving.length * NUMBERS;
    return Array.from({ length: this.rest.length / NUMBERS }, (_, place) => {
      const row = this.row.get(place);
      if (row === undefined) return posed(this.rest, place * NUMBERS, this.rest, place * NUMBERS, 0);
      const offset = row * NUMBERS;
      return posed(this.frames, frame * count + offset, this.frames, next * count + offset, share);
    });
  }
}

function posed(a, i, b, j, share) {
  const sign = a[i + 3] * b[j + 3] + a[i + 4] * b[j + 4] + a[i + 5] * b[j + 5] + a[i + 6] * b[j + 6] < 0 ? -1 : 1;
  const mixed = (k, s) => (1 - share) * a[i + k] + share * s * b[j + k];
  const quaternion = [mixed(3, sign), mixed(4, sign), mixed(5, sign), mixed(6, sign)];
  const length = Math.hypot(...quaternion);
  return { position: [mixed(0, 1), mixed(1, 1), mixed(2, 1)], quaternion: quaternion.map((x) => x / length) };
}

/** Where a tie is: its origin, its turn, and how long it is along z. */
function laidBetween({ ends, points }, poses) {
  const [a, b] = ends.map((end, k) => pointOn(poses[end], points[k]));
  const along = sub(b, a);
  return { pose: { position: a, quaternion: turningZTo(along) }, stretch: Math.hypot(...along) };
}
