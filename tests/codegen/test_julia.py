"""Julia: by its grammar, and by julia itself where it is installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from multibody.codegen import Julia

from .driving import Drive, run, written
from .models import Case

DRIVER = """include("{file}")
model = {module}
numbers = reinterpret(Float64, read(stdin))
n, m, i, k = {counts}
for row in Iterators.partition(numbers, 1 + n + m + i + k)
    q, u, r, s = row[2:1+n], row[2+n:1+n+m], row[2+n+m:1+n+m+i], row[2+n+m+i:end]
    p = model.parameters(; zip(model.PARAMETERS, s)...)
    for routine in ({routines},), result in (Base.invokelatest(routine, row[1], q, u, r, p),)
        for one in (result isa Tuple ? result : (result,))
            write(stdout, collect(vec(permutedims(one))))
        end
    end
end
"""


def one_of_each_shape(text: str) -> str:
    """Of assignments that differ in names and numbers alone the first, since the grammar takes long to read each."""
    seen, kept = set(), []
    for line in text.splitlines(keepends=True):
        shape = re.sub(r"\b[^\W\d]\w*", "x", re.sub(r"\b\d+(\.\d*)?(e[+-]?\d+)?", "1", line))
        whole = (
            re.match(r"\s+\w+ = ", line) and line.count("(") == line.count(")") and line.count("[") == line.count("]")
        )
        if not whole or shape not in seen:
            kept.append(line)
        seen.add(shape)
    return "".join(kept)


def test_grammar(case: Case, tmp_path: Path) -> None:
    """No error and nothing missing in the tree of syntax, whose functions are ours."""
    tree_sitter, grammar = pytest.importorskip("tree_sitter"), pytest.importorskip("tree_sitter_julia")
    (path,) = written(case, Julia(limit=400, jacobians=case.name == "crane_crab"), tmp_path)
    text = one_of_each_shape(path.read_text(encoding="utf-8"))
    tree = tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(text.encode())
    assert not tree.root_node.has_error
    (module,) = (node for node in tree.root_node.children if node.type == "module_definition")
    heads = [node.children[1].text.decode() for node in module.children if node.type == "function_definition"]
    drive = Drive.of(case, jacobian=False)
    assert {f"{name}(t, q, u, r, p)" for name in drive.routines} <= {head.strip() for head in heads}


def test_julia(case: Case, tmp_path: Path) -> None:
    julia = shutil.which("julia")
    if julia is None:
        pytest.skip("julia is not installed, and no package registry has it")
    drive = Drive.of(case, jacobian=False)
    (path,) = written(case, Julia(limit=400), tmp_path)
    module = path.stem[:1].upper() + path.stem[1:]
    routines = ", ".join(f"model.{name}" for name in drive.routines)
    text = DRIVER.format(file=path.name, module=module, counts=tuple(drive.counts), routines=routines)
    (tmp_path / "driver.jl").write_text(text)
    output = run(julia, "driver.jl", folder=tmp_path, stdin=drive.written())
    assert len(np.frombuffer(output))
    drive.check(output)
