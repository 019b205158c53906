"""Elements of arrays have one name everywhere: ``tip_1`` in runs, files, formulas, linear systems and exports."""

from __future__ import annotations

import csv
import re

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.cli.main import main
from multibody.io.model_files import model_text, read_model

TIP = ["tip_1", "tip_2", "tip_3"]
TURN = [f"R_{row}_{column}" for row in (1, 2, 3) for column in (1, 2, 3)]
ELEMENTS = [*TIP, *TURN]

MODEL = """multibody: 1
name: arm
inputs: {M: {}}
bodies: {rod: {mass: 1, com: [0, 0, -1], inertia: [0.1, 0.1, 0.1], frames: {end: {position: [0, 0, -1]}}}}
joints: {angle: {parent: world, child: rod, kind: Ry, q: 0.3}}
sensors: {tip: {Position: {frame: end}}, R: {Orientation: {frame: rod}}, back: {Expression: {value: -2*measured.tip_3}}}
loads: {drive: {JointLoad: {joint: angle, value: M - measured.tip_1}}}
"""


@pytest.fixture(scope="module")
def eom() -> mb.EquationsOfMotion:
    return mb.derive(read_model(MODEL))


@pytest.fixture(scope="module")
def run(eom) -> mb.Trajectory:
    return mb.simulate(eom, 1.0, samples=5)


def test_runs_and_their_tables(run, tmp_path):
    for name in ELEMENTS:
        place = tuple(int(k) - 1 for k in name.split("_")[1:])
        assert (run[name] == run[name.split("_")[0]][(slice(None), *place)]).all()
    assert list(run.to_dataframe("tip", "R").columns) == ELEMENTS
    run.save(tmp_path / "run.csv", "tip", "R")
    with (tmp_path / "run.csv").open(encoding="utf-8", newline="") as file:
        heads = next(csv.reader(file))
    assert [head.split(" ")[0] for head in heads] == ["t", *ELEMENTS]


def test_arrays_and_columns_of_files(run, tmp_path):
    from multibody.simulation import read_trajectory

    for suffix in (".csv", ".npz", ".parquet"):
        run.save(tmp_path / f"run{suffix}", "tip", "R")
        found = read_trajectory(tmp_path / f"run{suffix}")
        for name in ("tip", "R", *ELEMENTS):
            assert (found[name] == run[name]).all()
        with refused("name-unknown", "tip_4"):
            found["tip_4"]


def test_linear_systems(eom):
    assert mb.linearize(eom).outputs == (*ELEMENTS, "back")
    assert mb.linearize(eom, outputs=["tip_2", "R_1_3"]).outputs == ("tip_2", "R_1_3")


def test_formulas(eom, run):
    fed = mb.simulate(eom, 1.0, inputs={"M": "tip_1"})["angle"]
    assert fed[-1] == pytest.approx(mb.simulate(eom, 1.0, inputs={"M": "-sin(angle)"})["angle"][-1], abs=1e-7)
    assert run["back"] == pytest.approx(-2 * run["tip_3"])
    assert "measured.tip_1" in model_text(read_model(MODEL))


@pytest.mark.parametrize(
    "target", ["C", "Cpp", "Rust", "Julia", "JavaScript", "Python", "Modelica", "Casadi", "Jax", "Fmi"]
)
def test_exports(target, eom, tmp_path):
    mb.export(eom, getattr(mb, target)(), tmp_path)
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.suffix not in ("", ".json"))
    assert [name for name in ELEMENTS if not re.search(rf"\b{name}\b", written)] == []
    assert not re.search(r"\btip(\[|\.|_x)", written)


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "arm.yaml"
    path.write_text(MODEL)
    assert main(["simulate", str(path), "-d", "1", "-n", "3", "--plot", "tip_3", "-o", str(tmp_path / "r.csv")]) == 0
    assert "tip_3" in capsys.readouterr().out
    assert main(["sweep", str(path), "-d", "1", "-s", "angle=0.1,0.2", "-m", "last(tip_3)"]) == 0
    assert "last(tip_3)" in capsys.readouterr().out
    assert main(["linearize", str(path)]) == 0
    assert "R_3_3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ("tip[0]", "text-not-an-expression"),
        ("tip.x", "text-not-an-expression"),
        ("tip_x", "name-unknown"),
        ("tip.0", "name-unknown"),
        ("tip_0", "name-unknown"),
    ],
)
def test_other_names_are_errors_that_say_the_usual_one(other, code, eom, run):
    for call in (lambda: run[other], lambda: mb.linearize(eom, outputs=[other]), lambda: run.plot(other)):
        with refused("name-unknown", "tip_1"):
            call()
    with refused(code, "_1"):
        mb.simulate(eom, 1.0, inputs={"M": other})


def test_brackets_in_formulas():
    with refused("text-not-an-expression"):
        mb.graph.parse("tip[0]", {})


def test_a_name_that_is_also_that_of_an_element():
    """A coordinate of the same name as an element of a sensor is refused."""
    system = mb.System("s")
    slide = system.joint("tip_1", system.world, system.body("b", mass=1.0), "Tx", u=3.0)
    system.sensor("tip", mb.Velocity(slide.child))
    with refused("name-taken", "tip_1"):
        mb.derive(system)
