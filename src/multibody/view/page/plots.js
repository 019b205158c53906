// Curves over time: a panel for each unit, with axes, a cursor, and a legend of check boxes with the values there.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 560;
const HEIGHT = 176;
const FRAME = { left: 58, right: 10, top: 10, bottom: 30 };
const SHOWN = 8; // curves of a panel that are shown until more are asked for

function svg(name, attributes = {}, text = "") {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function html(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A number for people; six digits at most. */
function written(value) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(2) : value.toPrecision(size < 1 ? 3 : 4);
  return text.replaceAll("-", "−");
}

/** Round numbers that divide a range, about as many as wanted. */
function ticks(low, high, wanted) {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) found.push(k * step);
  const large = Math.max(Math.abs(low), Math.abs(high));
  const name = (x) => (large >= 1e5 || large < 1e-3 ? x.toExponential(1) : x.toFixed(digits));
  return found.map((x) => [x, (Math.abs(x) < 1e-9 * step ? "0" : name(x)).replaceAll("-", "−")]);
}

class Panel {
  constructor(data, curves, time, events, jump) {
    this.time = time;
    this.curves = data.curves.map((number, k) => (
      { ...curves[number], style: k % 7, dash: Math.floor(k / 7) % 3, on: k < SHOWN }));
    this.picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": this.description(data) });
    this.cursor = svg("line", { class: "cursor", y1: FRAME.top, y2: HEIGHT - FRAME.bottom });
    this.events = events;
    const title = html("h3", {}, data.title || (this.curves.length === 1 ? this.curves[0].name : ""));
    if (data.unit) title.append(html("span", { class: "unit" }, ` ${data.unit}`));
    this.element = html("section", { class: "panel" }, title, this.picture, this.legend());
    this.listen(jump);
    this.draw();
  }

  description(data) {
    return `${this.curves.map((one) => one.name).join(", ")} over time${data.unit ? `, in ${data.unit}` : ""}`;
  }

  legend() {
    const rows = this.curves.map((curve) => {
      const box = html("input", { type: "checkbox" });
      box.checked = curve.on;
      box.addEventListener("change", () => { curve.on = box.checked; this.draw(); });
      curve.output = html("output");
      const line = svg("svg", { viewBox: "0 0 20 8", class: "swatch", "aria-hidden": "true" });
      line.append(svg("line", { x1: 0, x2: 20, y1: 4, y2: 4, class: `curve c${curve.style} d${curve.dash}` }));
      return html("label", { title: curve.meaning }, box, line, html("span", {}, curve.name), curve.output);
    });
    return html("div", { class: "legend" }, ...rows);
  }

  listen(jump) {
    const go = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const box = this.picture.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * WIDTH;
      jump(clamp(this.first + ((x - FRAME.left) / this.wide) * (this.last - this.first), this.first, this.last));
    };
    this.picture.addEventListener("pointerdown", (event) => {
      this.picture.setPointerCapture(event.pointerId);
      go(event);
    });
    this.picture.addEventListener("pointermove", go);
  }

  get first() { return this.time[0]; }
  get last() { return this.time[this.time.length - 1]; }
  get wide() { return WIDTH - FRAME.left - FRAME.right; }

  x(t) { return FRAME.left + (this.wide * (t - this.first)) / (this.last - this.first || 1); }

  /** The range of what is shown, a little wider; never empty. */
  range() {
    let [low, high] = [Infinity, -Infinity];
    for (const { values } of this.curves.filter(({ on }) => on)) {
      for (const value of values.filter(Number.isFinite)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
    if (low > high) return [-1, 1];
    const flat = high - low <= 1e-6 * Math.max(Math.abs(low), Math.abs(high));
    const margin = flat ? 0.5 * Math.abs(high) || 1 : 0.06 * (high - low);
    return [low - margin, high + margin];
  }

  draw() {
    const [low, high] = this.range();
    const bottom = HEIGHT - FRAME.bottom;
    const y = (value) => bottom - ((bottom - FRAME.top) * (value - low)) / (high - low);
    const parts = [];
    for (const [value, name] of ticks(low, high, 4)) {
      parts.push(svg("line", { class: "rule", x1: FRAME.left, x2: WIDTH - FRAME.right, y1: y(value), y2: y(value) }));
      parts.push(svg("text", { x: FRAME.left - 7, y: y(value) + 4, "text-anchor": "end" }, name));
    }
    for (const [value, name] of this.last > this.first ? ticks(this.first, this.last, 8) : []) {
      parts.push(svg("line", { class: "rule", x1: this.x(value), x2: this.x(value), y1: FRAME.top, y2: bottom }));
      parts.push(svg("text", { x: this.x(value), y: bottom + 16, "text-anchor": "middle" }, name));
    }
    parts.push(svg("text", { x: WIDTH - FRAME.right, y: HEIGHT - 1, "text-anchor": "end", class: "axis" }, "t in s"));
    for (const { t, name } of this.events) {
      const mark = svg("line", { class: "event", x1: this.x(t), x2: this.x(t), y1: FRAME.top, y2: bottom });
      mark.append(svg("title", {}, name));
      parts.push(mark);
    }
    for (const { style, dash, values } of this.curves.filter(({ on }) => on)) {
      parts.push(svg("path", { class: `curve c${style} d${dash}`, d: this.path(values, y) }));
    }
    this.picture.replaceChildren(...parts, this.cursor);
  }

  /** A line through all values; it is broken where there is none. */
  path(values, y) {
    let text = "";
    let pen = "M";
    for (let k = 0; k < values.length; k += 1) {
      if (!Number.isFinite(values[k])) { pen = "M"; continue; }
      text += `${pen}${this.x(this.time[k]).toFixed(1)} ${y(values[k]).toFixed(1)}`;
      pen = "L";
    }
    return text;
  }

  /** Moves the cursor to a time. */
  follow(t) {
    this.cursor.setAttribute("x1", this.x(t));
    this.cursor.setAttribute("x2", this.x(t));
    for (const { output, values } of this.curves) output.textContent = written(valueAt(this.time, values, t));
  }
}

/** The value of a signal at a time, between samples on a straight line. */
function valueAt(time, values, t) {
  let [low, high] = [0, time.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle; else high = middle;
  }
  const step = time[high] - time[low];
  const share = step > 0 ? clamp((t - time[low]) / step, 0, 1) : 0;
  return share === 0 ? values[low] : share === 1 ? values[high] : (1 - share) * values[low] + share * values[high];
}
