// Where the reader looks from, and how mouse, fingers and keys change that.

class View {
  constructor({ eye, target, up, field, aspect }) {
    this.up = unit(up);
    this.field = field;
    this.aspect = aspect;
    this.east = unit(cross(this.up, Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
    this.north = cross(this.up, this.east);
    const away = sub(eye, target);
    const distance = Math.hypot(...away);
    const height = Math.asin(clamp(dot(away, this.up) / distance, -1, 1));
    const turn = Math.atan2(dot(away, this.north), dot(away, this.east));
    this.home = { target, distance, height, turn };
    this.homeFront = add(scaled(this.east, Math.cos(turn)), scaled(this.north, Math.sin(turn)));
    this.homeSide = cross(this.homeFront, this.up); // to the left, where the light comes from
    this.reset();
  }

  reset() { Object.assign(this, this.home); }

  get eye() {
    const flat = add(scaled(this.east, Math.cos(this.turn)), scaled(this.north, Math.sin(this.turn)));
    const away = add(scaled(flat, Math.cos(this.height)), scaled(this.up, Math.sin(this.height)));
    return add(this.target, scaled(away, this.distance));
  }

  /** From the world to the picture; a narrow picture shows as much from left to right as a wide one. */
  matrix(aspect) {
    const field = 2 * Math.atan(Math.tan(this.field / 2) * Math.max(1, this.aspect / aspect));
    const lens = perspective(field, aspect, this.distance / 100, this.distance + 40 * this.home.distance);
    return product(lens, lookAt(this.eye, this.target, this.up));
  }

  orbit(right, down) {
    this.turn -= right;
    this.height = clamp(this.height + down, -1.55, 1.55);
  }

  /** Moves the target with the pointer; both numbers are parts of the picture's height. */
  pan(right, down) {
    const back = unit(sub(this.eye, this.target));
    const x = unit(cross(this.up, back));
    const span = 2 * this.distance * Math.tan(this.field / 2);
    this.target = add(this.target, add(scaled(x, -right * span), scaled(cross(back, x), down * span)));
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, this.home.distance / 200, this.home.distance * 20);
  }
}

/** Lets a reader move the view: drag turns, Shift or another button or two fingers move, wheel and pinch zoom. */
function steer(canvas, view, changed) {
  const pointers = new Map();
  const mean = (k) => [...pointers.values()].reduce((sum, point) => sum + point[k], 0) / pointers.size;
  const middle = () => [mean(0), mean(1)];
  const spread = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1; };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const [x, y] = middle();
    const wide = pointers.size > 1 ? spread() : 1;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    const [right, down] = [(middle()[0] - x) / canvas.clientHeight, (middle()[1] - y) / canvas.clientHeight];
    if (pointers.size > 1) view.zoom(wide / spread());
    if (pointers.size > 1 || event.shiftKey || event.buttons > 1) view.pan(right, down);
    else view.orbit(4 * right, 4 * down);
    changed();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => { view.reset(); changed(); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom(Math.exp(clamp(event.deltaY, -100, 100) * 0.002));
    changed();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    if (x || y) (event.shiftKey ? view.pan(0.05 * x, 0.05 * y) : view.orbit(0.1 * x, 0.1 * y));
    else if (event.key === "+" || event.key === "=") view.zoom(0.9);
    else if (event.key === "-") view.zoom(1 / 0.9);
    else if (event.key === "Home" || event.key === "0") view.reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
    changed();
  });
}
