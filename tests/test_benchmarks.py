"""The report on benchmarks: what is read from their output, how it is judged, drawn and written. Nothing is timed."""

import importlib.util
import math
import re
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "docs"))

import peers_tables
from _lines import AtLeast, Claim, read
from _report import page, running
from _report.charts import CHARTS, Chart, Mark
from _report.expected import EXPECTED, LIMITS, Expected, short
from _report.plots import draw, figure_text

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = """
a table for people, which may speak of a BAR x=1
CLAIM forward_dynamics Panda µs multibody=0.5 multibody,_batch=0.1 Pinocchio=4
CLAIM forward_dynamics Talos µs multibody=2 Pinocchio=9
CLAIM derive_loops 10_four-bars ms multibody=30 SymPy_Kane=>120000
BAR panda_vs_pin=8 talos_vs_pin=4.5 panda_batch_vs_pin=40 talos_batch_vs_pin=3 panda_ready_s=nan
"""


def result(output: str = OUTPUT, failure: str = "") -> running.Result:
    lines = [line for line in output.splitlines() if line.startswith(("CLAIM ", "BAR "))]
    return running.Result(12.0, [0.5, 1.5], {"processor": "2 cores of a test", "peers": "pin 4"}, lines, failure)


# lines for machines


def test_lines_are_read():
    claims, figures = read(OUTPUT.splitlines())
    assert figures["panda_vs_pin"] == 8
    assert figures["talos_batch_vs_pin"] == 3
    assert claims[0] == Claim(
        "forward dynamics", "Panda", "µs", {"multibody": 0.5, "multibody, batch": 0.1, "Pinocchio": 4}
    )
    assert [isinstance(figure, AtLeast) for figure in claims[2].figures.values()] == [False, True]


def test_a_claim_survives_being_written_and_read():
    figures = {"multibody": 1.25, "SciPy solve_ivp": 3.0, "SymPy Kane": AtLeast(120000.0)}
    claim = Claim("derive loops", "2 four-bars", "ms", figures)
    again = Claim.read(str(claim))
    assert again == claim
    assert isinstance(again.figures["SymPy Kane"], AtLeast)


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (0.01234, "0.0123"),
        (1.5, "1.50"),
        (123.4, "123"),
        (2271.0, "2,271"),
        (1e10, "1.00e+10"),
        (AtLeast(60.0), "> 60.0"),
    ],
)
def test_figures_have_three_digits(figure, text):
    assert figure_text(figure) == text


# what is expected


def test_figures_are_judged():
    assert Expected("", 6).met(6)
    assert not Expected("", 6).met(5.9)
    assert not Expected("", most=1.0).met(1.1)
    assert not Expected("", 6).met(math.nan)
    assert short({"robots": result().figures}) == ["robots.talos_batch_vs_pin"]  # and not one that was not measured


def test_reasons_are_given_for_figures_that_exist():
    names = {f"{name}.{key}" for name, known in EXPECTED.items() for key in known}
    assert {*LIMITS} <= names
    assert {mark.figure for chart in CHARTS.values() for mark in chart.marks} <= names


def test_every_claim_of_a_benchmark_has_a_chart_and_every_chart_a_claim():
    scripts = [running.script(name) for name in EXPECTED]
    made = {name for path in scripts for name in re.findall(r'\bclaim\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))}
    assert made == {*CHARTS}


def test_every_benchmark_is_in_the_report_or_named_as_left_out():
    names = {path.stem.removeprefix("from_") for path in (ROOT / "benchmarks").glob("[!_]*.py")} - {"all"}
    assert names - {*EXPECTED} == {"mutants", "trust"}
    assert "./dev bench mutants" in page.LEFT_OUT
    assert "./dev bench trust" in page.LEFT_OUT


def test_marks_stand_where_the_bar_should_end():
    claims = read(OUTPUT.splitlines()).claims
    assert Mark("robots.panda_vs_pin", "Panda", "Pinocchio").place(claims[0]) == 4 / 6
    assert math.isnan(Mark("robots.panda_vs_pin", "Panda", "MuJoCo").place(claims[0]))
    assert Mark("importing.import_s", "package").place(Claim("import", "package", "ms", {})) == pytest.approx(300)
    assert Mark("export.c_vs_llvm", "Panda", "us").place(Claim("", "Panda", "ns", {"us": 10})) == pytest.approx(13)


# plots


def test_a_plot_is_small_and_always_the_same(tmp_path):
    claims = read(OUTPUT.splitlines()).claims[:2]
    chart = CHARTS["forward dynamics"]
    for name in ("one.svg", "two.svg"):
        draw(claims, chart, tmp_path / name)
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert len(text.encode()) < 40_000
    for word in ("Panda", "Talos", "Pinocchio", "multibody, batch", "µs, less is better", chart.title):
        assert f">{word}" in text
    assert "<dc:date>" not in text


def test_bars_are_as_long_as_figures(tmp_path):
    claims = [Claim("legs", "3 legs", "ms", {"multibody": 10.0, "other": 25.0})]
    draw(claims, Chart("Bars", ""), tmp_path / "bars.svg")
    text = (tmp_path / "bars.svg").read_text(encoding="utf-8")
    paths = re.findall(r'd="M ([\d.]+) [\d.]+ L ([\d.]+) [^"]*" clip-path="[^"]*" style="fill: #', text)
    own, other = (abs(float(b) - float(a)) for a, b in paths)
    assert other / own == pytest.approx(2.5, rel=1e-3)


# running


def test_output_is_shown_and_what_is_for_machines_is_kept(tmp_path):
    script, shown = tmp_path / "fine.py", []
    script.write_text("import os\nprint('a table')\nprint('BAR x=1', os.environ['OMP_NUM_THREADS'], sep=' y=')\n")
    found = running.run(script, show=shown.append)
    assert (found.failure, found.figures) == ("", {"x": 1, "y": 1})
    assert "a table" in shown


@pytest.mark.parametrize(
    ("code", "limit", "reason"),
    [
        ("raise RuntimeError('nobody is at home')", 60.0, "RuntimeError: nobody is at home"),
        ("print('no figures')", 60.0, "it printed no key figures"),
        ("import subprocess\nsubprocess.run(['sleep', '60'])", 0.6, "it did not end within 0.01 minutes"),
    ],
)
def test_a_benchmark_that_fails_or_hangs_is_reported(tmp_path, code, limit, reason):
    script = tmp_path / "bad.py"
    script.write_text(code)
    begun = time.monotonic()
    found = running.run(script, limit, show=lambda _: None)
    assert reason in found.failure
    assert not found.lines
    assert time.monotonic() - begun < 30  # and nobody waited for its child


def test_the_exit_code_tells_and_the_others_go_on(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("bench_all", ROOT / "benchmarks" / "all.py")
    bench_all = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench_all)
    written = []
    scripts = {"graph": "print('BAR x=1')", "loops": "raise SystemExit(3)", "view": "print('BAR y=2')"}
    for name, code in scripts.items():
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.setattr(running, "script", lambda name: tmp_path / f"{name}.py")
    monkeypatch.setattr(bench_all, "STORED", tmp_path / "figures.json")
    monkeypatch.setattr(bench_all, "write", written.append)
    assert bench_all.main("loops", "graph", "view") == 1
    assert [name for name, one in written[-1].items() if one.failure] == ["loops"]
    assert written[-1]["view"].figures == {"y": 2}
    running.store(written[-1], tmp_path / "figures.json")
    (tmp_path / "loops.py").write_text(scripts["graph"])
    assert bench_all.main("loops") == 0
    assert [*written[-1]] == ["graph", "loops", "view"]  # in the order of the report, and the others are kept
    with pytest.raises(SystemExit, match="there is no grpah in the report"):
        bench_all.main("grpah")


# pages


def test_the_page_says_what_falls_short_and_what_failed():
    text = page.report({"robots": result(), "loops": result(failure="it did not end within 15 minutes")})
    assert "| `talos_batch_vs_pin` | 3 | ≥ 15 | **falls short**: Talos, batches on one core |" in text
    assert "| `panda_vs_pin` | 8 | ≥ 6 | Panda, single states, beside Pinocchio's ABA in C++ |" in text
    assert "**not measured**: Panda, seconds from URDF" in text
    assert "- `robots.talos_batch_vs_pin`: 3, expected ≥ 15. Memory" in text
    assert "- `loops` gave no figures: it did not end within 15 minutes." in text
    assert "2 cores of a test" in text
    assert "0.50 at the start, 1.50 at the end" in text
    assert "![Forward dynamics of robots](plots/forward_dynamics.svg)" in text


def test_pages_and_plots_are_those_of_the_figures():
    results = running.stored(ROOT / "benchmarks" / "figures.json")
    assert (ROOT / "benchmarks" / "report.md").read_text(encoding="utf-8") == page.report(results)
    assert peers_tables.tables(results) in peers_tables.PAGE.read_text(encoding="utf-8")
    drawn = {path.name for path in (ROOT / "benchmarks" / "plots").glob("*.svg")}
    assert drawn == {page.picture(name) for name in page.groups(results)}


def test_tables_have_a_column_for_everybody():
    made = peers_tables.table(read(OUTPUT.splitlines()).claims[:2])
    assert made.splitlines() == [
        "| [µs] | multibody | multibody, batch | Pinocchio |",
        "| --- | ---: | ---: | ---: |",
        "| Panda | 0.500 | 0.100 | 4.00 |",
        "| Talos | 2.00 |  | 9.00 |",
    ]


def test_plain_calls_have_a_column_once_figures_have_them():
    """The benchmarks of robots, graphs and loops write them beside bound calls."""
    lines = [
        "CLAIM one_call Panda µs multibody,_bound=0.5 multibody,_plain=1.5 Pinocchio=4",
        "CLAIM one_call Talos µs multibody,_bound=2 Pinocchio=9",
    ]
    assert peers_tables.table(read(lines).claims).splitlines() == [
        "| [µs] | multibody, bound | multibody, plain | Pinocchio |",
        "| --- | ---: | ---: | ---: |",
        "| Panda | 0.500 | 1.50 | 4.00 |",
        "| Talos | 2.00 |  | 9.00 |",
    ]


# all tools find the same numbers


def benchmark(name: str) -> ModuleType:
    """A benchmark as a module; nothing in it runs."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_first_model_has_the_same_accelerations_in_both_tools(monkeypatch):
    importing = benchmark("importing")
    importing.require_agreement()
    monkeypatch.setattr(importing, "CRANE", importing.CRANE.replace("mass=m2", "mass=2 * m2"))
    with pytest.raises(AssertionError):
        importing.require_agreement()


def test_robots_that_move_in_another_way_are_not_timed():
    robots = benchmark("robots")
    robots.require_same("Somebody", np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-12]))
    for other in ([1.0, 2.0 + 1e-6], [2.0, 1.0], [1.0, math.nan]):
        with pytest.raises(AssertionError, match="Somebody finds other accelerations"):
            robots.require_same("Somebody", np.array([1.0, 2.0]), np.array(other))


def test_chains_are_the_same_in_pinocchio_and_mujoco():
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    robots = benchmark("robots")
    eom = robots.derive(robots.spatial_chain(4))
    robots.require_pinocchio(eom, robots.pinocchio_chain(4))
    robots.require_mujoco(eom, robots.mujoco_chain(4))
    heavier = robots.mujoco_chain(4)
    heavier.body_mass[2] *= 1.001
    with pytest.raises(AssertionError, match="MuJoCo"):
        robots.require_mujoco(eom, heavier)
