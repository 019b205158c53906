"""Rust, by rustc with warnings as errors."""

from __future__ import annotations

import re
from pathlib import Path

from multibody.codegen import Rust

from .conftest import named_case
from .driving import Drive, run, tool, written
from .models import Case

DRIVER = """#![allow(non_snake_case)]
#[path = "{file}"]
#[allow(dead_code)]
mod model;
use std::io::{{Read, Write}};

fn main() {{
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let numbers: Vec<f64> = bytes.chunks(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap())).collect();
    let mut out: Vec<u8> = Vec::new();
    for row in numbers.chunks({total}) {{
        let t = row[0];
        let q: &[f64; {n}] = row[1..1 + {n}].try_into().unwrap();
        let u: &[f64; {m}] = row[1 + {n}..1 + {n} + {m}].try_into().unwrap();
        let r: &[f64; {i}] = row[1 + {n} + {m}..1 + {n} + {m} + {i}].try_into().unwrap();
        #[allow(unused_variables)]
        let s = &row[1 + {n} + {m} + {i}..];
        #[allow(unused_mut)]
        let mut p = model::Parameters::default();
{set}
        p.prepare();
{calls}
    }}
    std::io::stdout().write_all(&out).unwrap();
}}
"""


def test_rust(case: Case, tmp_path: Path) -> None:
    rustc = tool("rustc")
    drive = Drive.of(case, jacobian=False)
    (path,) = written(case, Rust(), tmp_path)
    calls = []
    for routine in drive.routines:
        results = case.program.routine(routine).results
        calls += [f"        let mut {x.name} = [0.0; {x.size}];" for x in results]
        calls.append(f"        model::{routine}(t, q, u, r, &p, {', '.join(f'&mut {x.name}' for x in results)});")
        calls += [f"        for x in {x.name} {{ out.extend_from_slice(&x.to_ne_bytes()); }}" for x in results]
    fields = re.findall(r"^    pub (\w+): f64,", path.read_text(), re.MULTILINE)
    n, m, i, p = drive.counts
    text = DRIVER.format(
        file=path.name, total=1 + n + m + i + p, n=n, m=m, i=i, calls="\n".join(calls),
        set="\n".join(f"        p.{field} = s[{k}];" for k, field in enumerate(fields)),
    )  # fmt: skip
    assert len(fields) == p
    (tmp_path / "driver.rs").write_text(text)
    run(rustc, "--edition", "2021", "-D", "warnings", "driver.rs", "-o", "driver", folder=tmp_path)
    drive.check(run(tmp_path / "driver", folder=tmp_path, stdin=drive.written()))


def test_letters_that_lints_warn_of_are_spelled_out(tmp_path: Path) -> None:
    """A lone φ is a 'mixed script confusable'."""
    (path,) = written(named_case("every_operation"), Rust(), tmp_path)
    fields = re.findall(r"^    pub (\w+): f64,", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert fields == ["end", "double", "phi"]
