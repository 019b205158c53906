"""Notebooks: every object shows itself, what users write is escaped, and the tutorial runs from top to bottom."""

import re
from pathlib import Path

import pytest

import multibody as mb
from multibody.view import scene

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def things():
    """One of everything that a cell of a notebook may end with."""
    system = mb.library.crane_crab()
    eom = mb.derive(system)
    return {
        "System": system, "Model": system.freeze(), "Report": system.check(), "Analysis": system.analyse(),
        "EquationsOfMotion": eom, "SymbolTable": eom.symbol_table(), "expression": eom.acceleration[0],
        "Comparison": mb.compare(system, [mb.Kane(), mb.Lagrange()]), "Trajectory": mb.simulate(eom, duration=0.5),
        "LinearSystem": mb.linearize(eom, {"RotPendulum": 0.0}), "Equilibrium": mb.equilibrium(eom, ["TransCrab"]),
        "Equilibria": mb.equilibria(eom, ["TransCrab"]), "Sweep": mb.sweep(eom, 0.5, parameters={"m2": [1.0, 2.0]}),
        "Scene": scene(system), "LibraryModel": mb.library.find("pendulum"),
    }  # fmt: skip


MEANT = {
    "System": "RotPendulum", "Model": "RotPendulum_dot", "Report": "principal moment", "Analysis": "degrees of freedom",
    "Comparison": "proved equal", "Trajectory": "data:image/png;base64,", "LinearSystem": "4.10087",
    "Equilibrium": "marginal", "Equilibria": "unstable", "Sweep": "2 DONE", "SymbolTable": "DrivingForce",
    "LibraryModel": "La Coruña",
}  # fmt: skip


@pytest.mark.parametrize("name", MEANT)
def test_objects_show_themselves_as_html(things, name):
    html = things[name]._repr_html_()
    assert MEANT[name] in html
    for tag in ("table", "tr", "td", "th", "pre", "caption"):
        assert len(re.findall(f"<{tag}>", html)) == html.count(f"</{tag}>")


@pytest.mark.parametrize("name", ["EquationsOfMotion", "expression"])
def test_formulas_show_themselves_as_latex(things, name):
    assert things[name]._repr_latex_().startswith("$")
    assert r"\sin" in things[name]._repr_latex_()


@pytest.mark.parametrize("name", ["System", "Model", "EquationsOfMotion", "Trajectory", "LinearSystem", "Sweep"])
def test_at_a_prompt_objects_are_one_short_line(things, name):
    line = repr(things[name])
    assert "CraneCrab" in line
    assert len(line) < 100
    assert "\n" not in line
    assert "0x" not in line


def test_a_scene_shows_itself_as_a_picture(things):
    assert things["Scene"]._repr_png_().startswith(b"\x89PNG")


def test_what_users_write_is_escaped():
    evil = "<script>alert('1')</script>"
    system = mb.System("evil")
    m = system.parameter("m", 1.0, description=evil)
    system.joint("x", system.world, system.body("b", m), "Tx")
    system.input("F", unit="<b>", description=evil)
    shown = [system, system.freeze(), system.check(), mb.simulate(mb.derive(system), duration=1.0)]
    for thing in shown:
        assert "<script" not in thing._repr_html_()
        assert "<b>" not in thing._repr_html_()
    assert "&lt;script&gt;" in system._repr_html_()


def test_the_tutorial_runs(tmp_path, monkeypatch):
    """As a reader runs it, in a kernel of its own; and what is stored in the file is what its cells say."""
    import nbformat
    from nbclient import NotebookClient

    path = ROOT / "docs" / "tutorial.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # they are made by running
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    done = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    code = [cell for cell in done.cells if cell.cell_type == "code"]
    assert len(code) > 8
    kinds = {kind for cell in code for output in cell.outputs for kind in output.get("data", {})}
    assert {"text/html", "text/latex"} <= kinds
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
