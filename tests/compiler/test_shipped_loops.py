"""The shipped code of compiled loops belongs to its sources, and becomes machine code for any supported processor."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from multibody.compiler.loops.shipped import ShippedLoop, layout_digest
from multibody.compiler.loops.translation import digest, source_files

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "multibody.compiler.loops.ufunc_loop",
    "multibody.simulation.kernel.advance",
    "multibody.simulation.lanes.lane_advance",
    "multibody.view.render.kernel",
)


@pytest.fixture(scope="module")
def kernels():
    """The tool that makes the code."""
    spec = importlib.util.spec_from_file_location("kernels", ROOT / "tools" / "kernels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_loops_are_looked_at(kernels):
    assert tuple(kernels.LOOPS) == MODULES
    shipped = {path.relative_to(ROOT / "src") for path in (ROOT / "src").rglob("*.ll.xz")}
    assert shipped == {kernels.shipped_file(module).relative_to(ROOT / "src") for module in MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_the_code_belongs_to_its_sources(module, kernels):
    """After a change of a source: ./dev kernels."""
    head, layout = ShippedLoop(module).text.splitlines()[:2]
    assert layout == f"; record {layout_digest(kernels.LOOPS[module][0])}"
    assert re.fullmatch(rf"; from sources {digest(module)} by numba [\d.]+, llvmlite [\d.]+", head)


def test_a_change_of_any_source_is_noticed(tmp_path):
    names = {path.name for path in source_files("multibody.simulation.kernel.advance")}
    assert {"advance.py", "language.py", "step_control.py", "event_location.py", "run_record.py"} <= names


@pytest.mark.slow
def test_translating_again_gives_the_same_code():
    """With the versions of numba and llvmlite that made it; with others, the text may differ."""
    import llvmlite
    import numba

    if (
        not ShippedLoop(MODULES[0])
        .text.splitlines()[0]
        .endswith(f"numba {numba.__version__}, llvmlite {llvmlite.__version__}")
    ):
        pytest.skip("made by other versions")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "kernels.py", "--check"], capture_output=True, text=True, check=False,
        timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the same") == len(MODULES)


@pytest.mark.parametrize(
    "triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-pc-windows-msvc", "arm64-apple-darwin"]
)
@pytest.mark.parametrize("module", MODULES)
def test_every_processor_has_machine_code(module, triple):
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    parsed = llvm.parse_assembly(ShippedLoop(module).text)
    parsed.verify()
    machine = llvm.Target.from_triple(triple).create_target_machine(opt=2)
    parsed.triple, parsed.data_layout = triple, str(machine.target_data)
    assert len(machine.emit_object(parsed)) > 2000


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
import numpy as np, multibody as mb
system = mb.System("rail")
system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=1.0)
eom = mb.derive(system)
print(round(mb.simulate(eom, 1.0)["x"][-1], 9), len(mb.sweep(eom, 1.0, initial={"x": np.linspace(0, 1, 9)})))
mb.picture(system, sys.argv[1], size=(80, 60))
"""


def test_users_need_no_numba(tmp_path):
    env = os.environ | {"MULTIBODY_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA, str(tmp_path / "a.png")], capture_output=True, text=True, check=False,
        timeout=300, env=env,
    )  # fmt: skip
    assert done.stdout.split() == ["1.0", "9"], done.stderr
    assert (tmp_path / "a.png").stat().st_size > 200
