// The picture: lit triangles by WebGL 2, first what is opaque, then shadows and the ground, then what is transparent.

const SOLID_VERTICES = `#version 300 es
uniform mat4 place, picture;
uniform float stretch, fallen, level;
uniform vec3 light, up;
in vec3 position, normal;
out vec3 spot, outward;
void main() {
  vec4 p = place * vec4(position.xy, position.z * stretch, 1.0);
  p.xyz -= fallen * light * (dot(p.xyz, up) - level) / dot(light, up);  // shadows lie where light meets the ground
  outward = mat3(place) * vec3(normal.xy, normal.z / stretch);
  spot = p.xyz;
  gl_Position = picture * p;
}`;

const SOLID_PIXELS = `#version 300 es
precision highp float;
uniform vec4 colour;
uniform vec3 eye, light, up;
uniform float fallen;
in vec3 spot, outward;
out vec4 pixel;
void main() {
  vec3 v = normalize(eye - spot), n = normalize(outward);
  n = dot(n, v) < 0.0 ? -n : n;
  float sky = mix(0.42, 0.60, 0.5 + 0.5 * dot(n, up));
  float sun = 0.40 * max(dot(n, light), 0.0) + 0.08 * max(dot(n, v), 0.0);
  float gloss = 0.12 * pow(max(dot(n, normalize(light + v)), 0.0), 36.0);
  vec3 lit = colour.rgb * (sky + sun) + gloss;
  pixel = vec4(mix(lit, colour.rgb, fallen), colour.a);
}`;

const GROUND_VERTICES = `#version 300 es
uniform mat4 picture;
uniform vec3 middle, east, north;
uniform float reach;
in vec2 corner;
out vec2 spot, local;
void main() {
  vec3 p = middle + reach * (corner.x * east + corner.y * north);
  spot = vec2(dot(p, east), dot(p, north));
  local = corner;
  gl_Position = picture * vec4(p, 1.0);
}`;

const GROUND_PIXELS = `#version 300 es
precision highp float;
uniform vec4 colour;
uniform float spacing;
in vec2 spot, local;
out vec4 pixel;
float lines(float width) {
  vec2 cell = spot / width, thick = fwidth(cell);
  vec2 near = abs(fract(cell - 0.5) - 0.5) / max(thick, 1e-6);
  vec2 seen = (1.0 - min(near, 1.0)) * clamp(0.5 / max(thick, 1e-6), 0.0, 1.0);  // far away they would only flicker
  return max(seen.x, seen.y);
}
void main() {
  float seen = max(0.45 * lines(spacing), lines(5.0 * spacing)) * smoothstep(1.0, 0.25, length(local));
  pixel = vec4(colour.rgb, colour.a * seen);
}`;

const CREASE = Math.cos((40 * Math.PI) / 180);

class Stage {
  constructor(canvas, data) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser does not offer WebGL 2.");
    Object.assign(this, { canvas, gl, ground: data.ground });
    this.solid = program(gl, SOLID_VERTICES, SOLID_PIXELS, ["position", "normal"]);
    this.floor = program(gl, GROUND_VERTICES, GROUND_PIXELS, ["corner"]);
    this.square = array(gl, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), [2]);
    const surfaces = data.surfaces.map((one) => this.surface(one));
    this.things = data.things.map((thing) => ({
      ...thing, surface: surfaces[thing.surface], local: thing.pose && rigid(thing.pose),
    }));
  }

  surface({ vertices, faces, wide, smooth }) {
    const corners = shaded(unpacked(vertices), unpacked(faces, wide ? Uint32Array : Uint16Array), smooth);
    return { buffers: array(this.gl, corners, [3, 3]), count: corners.length / 6 };
  }

  /** Fits the picture to its place on the screen. */
  resize() {
    const { canvas } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * ratio)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    return width / height;
  }

  draw(poses, view, shown, theme) {
    const { gl } = this;
    const picture = view.matrix(this.resize());
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const placed = this.things.filter(({ layer }) => shown.has(layer)).map((thing) => inPlace(thing, poses));
    const [clear, solid] = [placed.filter((one) => one.colour[3] < 1), placed.filter((one) => one.colour[3] >= 1)];
    this.light = unit(add(add(scaled(view.up, 1), scaled(view.homeSide, 0.3)), scaled(view.homeFront, 0.4)));
    this.begin(view, picture);
    for (const one of solid) this.triangles(one);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (shown.has("ground")) {
      if (dot(view.eye, view.up) > this.ground.level) this.shadows(solid, theme);
      this.lines(view, picture, theme);
      this.begin(view, picture);
    }
    const far = ({ place }) => Math.hypot(...sub([place[12], place[13], place[14]], view.eye));
    for (const one of clear.sort((a, b) => far(b) - far(a))) this.triangles(one);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  begin(view, picture) {
    const { gl, solid: { use, at } } = this;
    use();
    gl.uniformMatrix4fv(at.picture, false, picture);
    gl.uniform3fv(at.eye, view.eye);
    gl.uniform3fv(at.light, this.light);
    gl.uniform3fv(at.up, view.up);
    gl.uniform1f(at.level, this.ground.level);
    gl.uniform1f(at.fallen, 0);
  }

  triangles({ surface, place, stretch, colour }) {
    const { gl, solid: { at } } = this;
    gl.uniformMatrix4fv(at.place, false, place);
    gl.uniform1f(at.stretch, Math.max(stretch, 1e-6));
    gl.uniform4fv(at.colour, colour);
    gl.bindVertexArray(surface.buffers);
    gl.drawArrays(gl.TRIANGLES, 0, surface.count);
  }

  /** Each pixel of the ground gets dark once, however many things are above it. */
  shadows(solid, theme) {
    const { gl } = this;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 0xff);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.uniform1f(this.solid.at.fallen, 1);
    for (const one of solid) this.triangles({ ...one, colour: theme.shadow });
    gl.disable(gl.STENCIL_TEST);
  }

  lines(view, picture, theme) {
    const { gl, ground, floor: { use, at } } = this;
    use();
    const height = ground.level - dot(ground.middle, view.up);
    gl.uniformMatrix4fv(at.picture, false, picture);
    gl.uniform3fv(at.middle, add(ground.middle, scaled(view.up, height)));
    gl.uniform3fv(at.east, view.east);
    gl.uniform3fv(at.north, view.north);
    gl.uniform1f(at.reach, ground.reach);
    gl.uniform1f(at.spacing, ground.spacing);
    gl.uniform4fv(at.colour, theme.grid);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}

/** A thing with the matrix that it has now. */
function inPlace(thing, poses) {
  if (thing.ends) {
    const { pose, stretch } = laidBetween(thing, poses);
    return { ...thing, place: rigid(pose), stretch };
  }
  return { ...thing, place: product(rigid(poses[thing.place]), thing.local), stretch: 1 };
}

/** Corners of triangles with their normals; on curved surfaces normals are averaged, but not across sharp edges. */
function shaded(vertices, faces, smooth) {
  const corner = (k) => vertices.subarray(3 * faces[k], 3 * faces[k] + 3);
  const count = faces.length / 3;
  const areas = Array.from({ length: count }, (_, k) => {
    const a = corner(3 * k);
    return cross(sub(corner(3 * k + 1), a), sub(corner(3 * k + 2), a));
  });
  const flat = areas.map(unit);
  const around = smooth ? Array.from({ length: vertices.length / 3 }, () => []) : [];
  if (smooth) faces.forEach((vertex, k) => around[vertex].push(Math.floor(k / 3)));
  const out = new Float32Array(faces.length * 6);
  for (let k = 0; k < faces.length; k += 1) {
    const own = flat[Math.floor(k / 3)];
    let normal = own;
    if (smooth) {
      normal = [0, 0, 0];
      for (const face of around[faces[k]]) if (dot(flat[face], own) > CREASE) normal = add(normal, areas[face]);
      normal = Math.hypot(...normal) ? unit(normal) : own;
    }
    out.set(corner(k), 6 * k);
    out.set(normal, 6 * k + 3);
  }
  return out;
}

/** A vertex array with one buffer whose columns belong to the attributes 0, 1 …. */
function array(gl, values, widths) {
  const made = gl.createVertexArray();
  gl.bindVertexArray(made);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  const stride = 4 * widths.reduce((a, b) => a + b);
  widths.reduce((offset, width, k) => {
    gl.enableVertexAttribArray(k);
    gl.vertexAttribPointer(k, width, gl.FLOAT, false, stride, offset);
    return offset + 4 * width;
  }, 0);
  return made;
}

/** A program of two shaders, with the places of its uniforms by name. */
function program(gl, vertices, pixels, attributes) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, pixels]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  attributes.forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const at = {};
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k += 1) {
    const { name } = gl.getActiveUniform(made, k);
    at[name] = gl.getUniformLocation(made, name);
  }
  return { at, use: () => gl.useProgram(made) };
}
