// The page: what it shows, at which time, and what the reader can do with it.

const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const canvas = find("canvas");
const view = new View(data.camera);
const motions = data.motions.map((one) => new Motion(one, unpacked(data.rest)));
const run = motions.length && data.run ? motions[0] : null;
const shown = new Set(data.layers.filter(({ on }) => on).map(({ name }) => name));
const state = { motion: motions[0], value: motions[0].start, playing: false, speed: 1, loop: true, pending: false };
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const labels = data.labels.map((one) => ({ ...one, element: html("span", { class: "label" }, one.text) }));
let poses = state.motion.at(state.value);
let stage = null;
try {
  stage = new Stage(canvas, data);
} catch (error) {
  find("no-picture").hidden = false;
  find("no-picture").append(` ${error.message}`);
}
find("labels").append(...labels.map((one) => one.element));

// the picture ---------------------------------------------------------------------------------------------------------

function theme() {
  return dark.matches
    ? { grid: [0.62, 0.68, 0.76, 0.34], shadow: [0, 0, 0, 0.34] }
    : { grid: [0.30, 0.36, 0.44, 0.34], shadow: [0.10, 0.14, 0.20, 0.13] };
}

function draw() {
  state.pending = false;
  if (!stage) return;
  stage.draw(poses, view, shown, theme());
  drawLabels();
}

/** Draws soon, once, however often it is asked to. */
function redraw() {
  if (state.pending) return;
  state.pending = true;
  window.requestAnimationFrame(draw);
}

/** Labels beside their things; those that would cover each other stand one below the other. */
function drawLabels() {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const picture = view.matrix(width / height);
  const taken = [];
  for (const { element, place, point, layer } of labels) {
    element.hidden = !shown.has(layer);
    if (element.hidden) continue;
    const [x, y, z] = pointOn(poses[place], point);
    const row = (k) => picture[k] * x + picture[4 + k] * y + picture[8 + k] * z + picture[12 + k];
    const [u, v, w] = [row(0), row(1), row(3)];
    element.hidden = w <= 0;
    const left = ((u / w + 1) / 2) * width;
    let top = ((1 - v / w) / 2) * height;
    while (taken.some(([a, b]) => Math.abs(a - left) < 70 && Math.abs(b - top) < 16)) top += 16;
    taken.push([left, top]);
    element.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
  }
}

// time ----------------------------------------------------------------------------------------------------------------

const panels = [];

function show(motion, value) {
  state.motion = motion;
  state.value = clamp(value, motion.first, motion.last);
  poses = motion.at(state.value);
  if (run) showTime(state.value);
  redraw();
}

function showTime(t) {
  const slider = find("time");
  slider.value = t;
  const share = (t - run.first) / (run.last - run.first || 1);
  slider.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
  slider.setAttribute("aria-valuetext", `${t.toFixed(digits)} seconds`);
  find("clock").textContent = `${t.toFixed(digits)} s`;
  for (const panel of panels) panel.follow(t);
  for (const { cell, values } of sensors) cell.textContent = written(valueAt(time, values, t));
}

const digits = run ? clamp(Math.ceil(2 - Math.log10(run.last - run.first || 1)), 2, 6) : 2;

function play(on = true) {
  const going = Boolean(on) && run !== null && run.last > run.first;
  if (going && !state.playing) {
    if (state.value >= run.last) show(run, run.first);
    state.clock = null;
    window.requestAnimationFrame(advance);
  }
  state.playing = going;
  const button = find("play");
  button.classList.toggle("playing", going);
  button.setAttribute("aria-label", going ? "Pause" : "Play");
}

function advance(now) {
  if (!state.playing) return;
  const step = state.clock === null ? 0 : Math.min((now - state.clock) / 1000, 0.25) * state.speed;
  state.clock = now;
  let t = state.value + step;
  if (t > run.last) {
    if (!state.loop) { show(run, run.last); play(false); return; }
    t = run.first + ((t - run.first) % (run.last - run.first));
  }
  show(run, t);
  window.requestAnimationFrame(advance);
}

/** Goes on by frames. */
function step(count) {
  const frame = state.motion.locate(state.value)[0] + count;
  play(false);
  show(state.motion, state.motion.axis[clamp(frame, 0, state.motion.axis.length - 1)]);
}

/** A tenth to four times the speed of life; or of another one, for runs that are very long or very short. */
function speeds() {
  const length = run.last - run.first || 1;
  const wish = length > 60 ? length / 20 : length < 1 ? length / 4 : 1;
  const power = 10 ** Math.floor(Math.log10(wish));
  const base = wish === 1 ? 1 : [1, 2, 5, 10].findLast((factor) => factor * power <= wish * 1.0001) * power;
  const options = [0.1, 0.25, 0.5, 1, 2, 4].map((factor) => factor * base);
  find("speed").append(...options.map((one) => {
    const option = html("option", { value: one }, `${Number(one.toPrecision(3))}×`);
    option.selected = one === base;
    return option;
  }));
  state.speed = base;
}

// signals -------------------------------------------------------------------------------------------------------------

const time = data.run ? unpacked(data.run.time, Float64Array) : new Float64Array();
const curves = data.run ? data.run.curves.map((one) => ({ ...one, values: unpacked(one.values) })) : [];
const sensors = data.run ? data.run.sensors.map((number) => ({ ...curves[number], cell: html("output") })) : [];

function buildRun() {
  const slider = find("time");
  Object.assign(slider, { min: run.first, max: run.last, step: "any" });
  slider.addEventListener("input", () => { play(false); show(run, Number(slider.value)); });
  find("play").addEventListener("click", () => play(!state.playing));
  find("loop").addEventListener("change", (event) => { state.loop = event.target.checked; });
  find("speed").addEventListener("change", (event) => { state.speed = Number(event.target.value); });
  speeds();
  const jump = (t) => { play(false); show(run, t); };
  for (const one of data.run.panels) panels.push(new Panel(one, curves, time, data.run.events, jump));
  find("plots").append(...panels.map((panel) => panel.element));
  find("sensors").hidden = !sensors.length;
  find("sensors").querySelector("dl").append(...sensors.map(({ name, unit: what, meaning, cell }) =>
    html("div", { title: meaning },
      html("dt", {}, name), html("dd", {}, cell, html("span", { class: "unit" }, ` ${what}`)))));
}

/** A slider for each coordinate that can be moved; one at a time leaves the start. */
function buildSweeps() {
  const rows = motions.filter((one) => one.axis.length > 1).map((motion) => {
    const range = { min: motion.first, max: motion.last, step: "any" };
    const slider = html("input", { type: "range", "aria-label": motion.name, ...range });
    const output = html("output");
    const set = (value) => {
      slider.value = value;
      output.textContent = `${written(value)} ${motion.unit}`;
      const share = (value - motion.first) / (motion.last - motion.first);
      slider.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    };
    slider.addEventListener("input", () => {
      for (const other of rows) if (other.motion !== motion) other.set(other.motion.start);
      set(Number(slider.value));
      show(motion, Number(slider.value));
    });
    set(motion.start);
    const element = html("label", { title: motion.meaning }, html("span", {}, motion.name), slider, output);
    return { motion, set, element };
  });
  find("sweeps").append(...rows.map((row) => row.element));
}

function buildLayers() {
  find("layers").append(...data.layers.map(({ name, on }) => {
    const box = html("input", { type: "checkbox", "data-layer": name });
    box.checked = on;
    box.addEventListener("change", () => { shown[box.checked ? "add" : "delete"](name); redraw(); });
    return html("label", {}, box, html("span", {}, name));
  }));
}

// the reader ----------------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !run) return;
  const taken = { " ": "select, button, summary, a, input:not(#time)" }[event.key] ?? "select";
  if (event.target.closest(taken)) return; // the key means something else there
  if (event.key === " ") play(!state.playing);
  else if (event.key === "ArrowLeft") step(-1);
  else if (event.key === "ArrowRight") step(1);
  else return;
  event.preventDefault();
});
steer(canvas, view, redraw);
find("home").addEventListener("click", () => { view.reset(); redraw(); });
find("whole").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else find("stage").requestFullscreen?.();
});
new ResizeObserver(redraw).observe(canvas);
dark.addEventListener("change", redraw);
window.addEventListener("beforeprint", draw);

buildLayers();
if (run) buildRun(); else buildSweeps();
show(state.motion, state.value);
draw();

/** What a script may ask the page, and the little that it may tell it. */
window.multibody = Object.freeze({
  time: () => state.value,
  setTime: (t) => { play(false); show(state.motion, Number(t)); },
  play: () => play(true),
  pause: () => play(false),
  playing: () => state.playing,
  names: () => [...data.places],
  pose: (name) => {
    const { position, quaternion } = poses[data.places.indexOf(name)];
    return { position: [...position], quaternion: [...quaternion] };
  },
  shown: () => [...shown],
});
