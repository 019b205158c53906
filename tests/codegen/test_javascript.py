"""JavaScript, by Node.js."""

from __future__ import annotations

from pathlib import Path

from multibody.codegen import JavaScript

from .driving import Drive, run, tool, written
from .models import Case

DRIVER = """import * as model from "./{file}";
import {{ readFileSync, writeSync }} from "node:fs";
const data = readFileSync(0);
const numbers = new Float64Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
const [n, m, i, k] = {counts};
const names = Object.keys(model.parameterDefaults);
const out = [];
for (let at = 0; at < numbers.length; at += 1 + n + m + i + k) {{
  let place = at + 1;
  const [q, u, r, s] = [n, m, i, k].map((size) => numbers.subarray(place, (place += size)));
  const p = model.parameters(Object.fromEntries(names.map((name, j) => [name, s[j]])));
  for (const routine of {routines}) {{
    for (const result of Object.values(model[routine](numbers[at], q, u, r, p))) out.push(...result);
  }}
}}
const bytes = Buffer.from(new Float64Array(out).buffer);
for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent);
"""


def test_javascript(case: Case, tmp_path: Path) -> None:
    node = tool("node")
    drive = Drive.of(case, jacobian=False)
    (path,) = written(case, JavaScript(limit=400), tmp_path)
    text = DRIVER.format(file=path.name, counts=list(drive.counts), routines=list(drive.routines))
    (tmp_path / "driver.mjs").write_text(text)
    drive.check(run(node, "driver.mjs", folder=tmp_path, stdin=drive.written()))
