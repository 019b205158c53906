"""MATLAB and Octave, by Octave: one process evaluates all states of all models."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import Matlab, Program, SFunction, export
from multibody.codegen.targets.matlab.language import stem
from multibody.codegen.targets.matlab.target import MORE

from .conftest import named_case
from .driving import run, tool
from .models import MAKERS, STATES, Case

SLOPES = ("crane_crab", "four_bar_explicit", "four_bar_multipliers", "every_operation")
"""Models whose derivatives are written, too; for the others that takes Octave seconds."""

TEST_INPUTS = """function r = {name}_inputs(t, y, p)
    global test_inputs
    r = test_inputs;
end
"""

EVALUATE = """
addpath('{folder}');
file = fopen('{folder}/states', 'r');
states = fread(file, [{width}, Inf], 'double').';
fclose(file);
file = fopen('{folder}/results', 'w');
names = fieldnames({name}_parameters());
global test_inputs
for row = 1:size(states, 1)
    x = states(row, :);
    t = x(1);
    y = x(1 + (1:{states}));
    test_inputs = x(1 + {states} + (1:{inputs})).';
    p = struct();
    for k = 1:numel(names)
        p.(names{{k}}) = x(1 + {states} + {inputs} + k);
    end
    [p, c] = {name}_parameters(p);
    fwrite(file, {name}_der_state(t, y, p, c), 'double');
    S = struct2cell({name}_sensors(t, y, p));
    for k = 1:numel(S)
        fwrite(file, S{{k}}.', 'double');
    end
{more}
end
fclose(file);
rmpath('{folder}');
clear('{name}_*');
"""


def octave(folder: Path, text: str) -> str:
    """What Octave writes about a program."""
    path = folder / "program.m"
    path.write_text(text)
    program = tool("octave-cli")
    return run(program, "--norc", "--quiet", "--no-history", path, folder=folder).decode()


def write(eom: mb.EquationsOfMotion, folder: Path, inputs: str, target: Matlab) -> str:
    """The files of a model, with inputs as a user would fill them in; the stem of their names."""
    export(eom, target, folder)
    name = stem(eom.model.name)
    (folder / f"{name}_inputs.m").write_text(inputs.format(name=name))
    return name


def evaluation(case: Case, folder: Path) -> str:
    """A program that evaluates all routines at all states."""
    more = [x for x in ("mass_matrix", "bias", "multipliers") if case.program.has(x)]
    more += ["jacobian"] if case.name in SLOPES else []
    name = write(case.eom, folder, TEST_INPUTS, Matlab(more=tuple(more), limit=500))
    rows = [np.concatenate([[t], *rest]) for t, *rest in case.states]
    (folder / "states").write_bytes(np.concatenate(rows).tobytes())
    calls = []
    for routine in more:
        results = [result.name for result in case.program.routine(routine).results if result.size]
        calls.append(f"    [{', '.join(results)}] = {name}_{routine}(t, y, p, c);")
        calls += [f"    fwrite(file, {result}.', 'double');" for result in results]
    q, u, r, _ = (len(group) for group in case.program.arguments.values())
    return EVALUATE.format(
        folder=folder, name=name, width=len(rows[0]), states=q + u, inputs=r, more="\n".join(calls)
    )  # fmt: skip


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """The numbers of each model at all states."""
    folders = {name: tmp_path_factory.mktemp(name) for name in MAKERS}
    programs = [evaluation(named_case(name), folder) for name, folder in folders.items()]
    octave(tmp_path_factory.mktemp("octave"), "\n".join(programs))
    return {name: np.fromfile(folder / "results").reshape(STATES, -1) for name, folder in folders.items()}


def test_numbers(case: Case, evaluated: dict[str, np.ndarray]) -> None:
    program = case.program
    names = ["state_rate", "sensors", *(x for x in ("mass_matrix", "bias", "multipliers") if program.has(x))]
    names += ["jacobian"] if case.name in SLOPES else []
    sizes = {result.name: result.size for name in names for result in program.routine(name).results}
    ends = np.cumsum([0, *sizes.values()])
    table = evaluated[case.name]
    assert table.shape[1] == ends[-1]
    found = {name: table[:, a:b] for name, a, b in zip(sizes, ends, ends[1:], strict=False)}
    case.agrees(found)
    if "A" in found:
        case.agrees(found, 1e-11, {name: rows for name, rows in case.slopes.items() if name in found})


def test_what_has_no_real_value_is_nan(tmp_path: Path) -> None:
    """Octave would go on with complex numbers."""
    case = named_case("every_operation")
    export(case.eom, Matlab(), tmp_path)
    said = octave(
        tmp_path,
        f"""addpath('{tmp_path}');
        S = lambda_model_sensors(0, [-3; 0]);
        printf('%d %d\\n', isnan(S.s12), isreal(S.s12));
        S = lambda_model_sensors(0, [NaN; 0]);
        printf('%d', structfun(@(x) all(isreal(x)), S));
        printf(' %d %d %d', isnan(S.s14), isnan(S.s15), isnan(S.s22));""",
    )  # fmt: skip
    first, second = said.split("\n")
    assert first == "1 1"
    assert re.fullmatch("1+ 1 1 1", second)


# runs -------------------------------------------------------------------------------------------------------------

RUNS = {
    "crane_crab": ("    r = 3*sin(2*t) - 0.1*p.g*y(3);", lambda t, q, u: 3 * np.sin(2 * t) - 0.981 * u[0]),
    "four_bar_multipliers": ("    r = 60*cos(3*t);", lambda t: 60 * np.cos(3 * t)),
}  # fmt: skip
"""What the user writes into the file of the inputs, and the same in Python."""

TIMES = np.linspace(0, 1, 21)


def top() -> mb.EquationsOfMotion:
    """A heavy top on a ball joint, with quaternions."""
    system = mb.System("top", gravity=(0, 0, -9.81))
    body = system.body("cone", 1.0, (0, 0, 0.2), mb.diag(0.01, 0.01, 0.004))
    system.joint("ball", system.world, body, mb.Spherical(), u=(0.4, 0.3, 20.0))
    system.sensor("tip", mb.Position(body.frame("end", (0, 0, 0.4))))
    return mb.derive(system)


RUN = """
addpath('{folder}');
[T, Y, S] = {name}_sim({times}, [], [], odeset('RelTol', 1e-10, 'AbsTol', 1e-12));
file = fopen('{folder}/run', 'w');
fwrite(file, Y.', 'double');
fwrite(file, [S.{sensor}], 'double');
fclose(file);
rmpath('{folder}');
clear('{name}_*');
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[mb.EquationsOfMotion, np.ndarray, np.ndarray]]:
    """For each model the states, row by row, and the values of its last sensor, by Octave."""
    models = {"top": (top(), "tip")}
    models |= {name: (named_case(name).eom, {"crane_crab": "a"}.get(name, "end")) for name in RUNS}
    texts, folders = [], {}
    for key, (eom, sensor) in models.items():
        folder = folders[key] = tmp_path_factory.mktemp(key)
        law = RUNS[key][0] if key in RUNS else "    r = [];"
        name = write(eom, folder, f"function r = {{name}}_inputs(t, y, p)\n{law}\nend\n", Matlab())
        own = {"end": "end_"}.get(sensor, sensor)
        texts.append(RUN.format(folder=folder, name=name, times=f"linspace(0, 1, {len(TIMES)})", sensor=own))
    octave(tmp_path_factory.mktemp("runs"), "\n".join(texts))
    found = {}
    for key, (eom, _) in models.items():
        numbers, size = np.fromfile(folders[key] / "run"), len(eom.coordinates) + len(eom.speeds)
        cut = len(TIMES) * size
        found[key] = eom, numbers[:cut].reshape(len(TIMES), size), numbers[cut:].reshape(len(TIMES), -1)
    return found


@pytest.mark.parametrize("name", ["top", *RUNS])
def test_simulation(name: str, runs: dict[str, tuple[mb.EquationsOfMotion, np.ndarray, np.ndarray]]) -> None:
    """Octave's ode45 at 1e-10, and ours at 1e-12; constraints and quaternions are kept."""
    eom, states, sensor = runs[name]
    inputs = {eom.inputs[0].name: RUNS[name][1]} if name in RUNS else None
    ours = mb.simulate(eom, times=TIMES, inputs=inputs, integrator=mb.DormandPrince8(rtol=1e-12, atol=1e-13))
    names = [symbol.name for symbol in (*eom.coordinates, *eom.speeds)]
    expected = np.array([ours[one] for one in names]).T
    scale = np.abs(expected).max(axis=0)
    assert np.ptp(expected, axis=0).max() > 0.5
    assert (np.abs(states - expected) / (1 + scale)).max() < 1e-7
    last = {"top": "tip", "crane_crab": "a"}.get(name, "end")
    np.testing.assert_allclose(sensor, np.asarray(ours[last]).reshape(len(TIMES), -1), atol=1e-5)
    for quaternion in eom.model.quaternions:
        np.testing.assert_allclose(np.linalg.norm(states[:, quaternion], axis=1), 1, atol=1e-14)
    if len(eom.constraints):
        p = list(eom.model.parameter_values().values())
        n = len(eom.coordinates)
        for t, y in zip(TIMES, states, strict=True):
            gaps = eom.constraint_residuals(t, y[:n], y[n:], np.zeros(len(eom.inputs)), p)
            assert max(np.abs(gap).max() for gap in gaps) < 1e-11


def test_other_parameters_and_start_values_are_brought_onto_the_constraints(tmp_path: Path) -> None:
    """The four-bar begins where its loop is closed, near what the user wishes; nonsense is refused by name."""
    eom = named_case("four_bar_multipliers").eom
    export(eom, Matlab(), tmp_path)
    said = octave(
        tmp_path,
        f"""addpath('{tmp_path}');
        function attempt(varargin)
            try
                four_bar_sim(varargin{{:}});
            catch error
                printf('%s\\n', error.message);
            end
        end
        [T, Y] = four_bar_sim([0, 0.01, 0.02], [1.1; -0.5; 1.8; 0; 0; 0], struct('density', 4));
        printf('%.17g ', Y(1, :));
        printf('\\n');
        attempt([], [], struct('dens', 4));
        attempt([], [], struct('density', 'a'));
        attempt([0, 1], [1, 2]);
        attempt([0, 1], [0; 0; pi/2; 0; 0; NaN]);
        """,
    )  # fmt: skip
    start, *messages = said.splitlines()
    y = np.array(start.split(), dtype=float)
    gaps = eom.constraint_residuals(0.0, y[:3], y[3:], np.zeros(1), [4.0])
    assert max(np.abs(gap).max() for gap in gaps) < 1e-11
    assert np.abs(y[:3] - [1.1, -0.5, 1.8]).max() < 0.5
    assert messages[:3] == [
        "There is no parameter dens. There are: density.",
        "The parameter density must be a real number.",
        "The state must have 6 numbers, not 2.",
    ]
    assert messages[3] == "No position near the start values keeps all constraints."


def test_a_singular_start_is_named(tmp_path: Path) -> None:
    """Octave's solver would search for a step that is short enough, for hours."""
    system = mb.System("gimbal", gravity=(0, 0, -9.81))
    body = system.body("top", 1.0, (0, 0, 0.2), (0.01, 0.01, 0.004))
    system.joint("ball", system.world, body, mb.Spherical("zxz"))
    export(mb.derive(system), Matlab(), tmp_path)
    said = octave(tmp_path, "try\n gimbal_sim();\ncatch e\n printf('%s', e.message);\nend\n")
    assert said == "At t = 0, or before, the equations have no solution: is the position singular?"


# pictures ---------------------------------------------------------------------------------------------------------


def test_animation(tmp_path: Path) -> None:
    """The lines end where the bodies are."""
    export(named_case("crane_crab").eom, Matlab(), tmp_path)
    said = octave(
        tmp_path,
        f"""addpath('{tmp_path}');
        if isempty(available_graphics_toolkits())
            printf('no toolkit');
            exit(0);
        end
        warning('off', 'all');
        graphics_toolkit(available_graphics_toolkits(){{1}});
        set(0, 'defaultfigurevisible', 'off');
        h = crane_crab_visual([0; 0.5; 1], [1, 0.1, 0, 0; 2, 0.2, 0, 0; 3, 0.5, 0, 0], 0, struct('l2', 2));
        started = tic();
        crane_crab_visual([0; 0.2], [1, 0.1, 0, 0; 2, 0.2, 0, 0], 2);
        printf('%d %d\\n', numel(h), toc(started) >= 0.4);
        printf('%.17g ', get(h(2), 'XData'), get(h(3), 'XData'), get(h(3), 'ZData'));
        printf('\\n');
        x = get(h(6), 'XData')(7:8);
        z = get(h(6), 'ZData')(7:8);
        printf('%.17g ', diff(x)/hypot(diff(x), diff(z)), diff(z)/hypot(diff(x), diff(z)));
        """,
    )  # fmt: skip
    if said == "no toolkit":
        pytest.skip("Octave has no graphics (gnuplot is not installed)")
    counts, places, axis = said.splitlines()
    assert counts.split() == ["6", "1"]  # world, crab, load; x, y, z
    load = 3 - 2 * np.sin(0.5), -2 * np.cos(0.5)
    np.testing.assert_allclose(np.array(places.split(), float), [3, 3, load[0], 3, load[1], 0], atol=1e-14)
    np.testing.assert_allclose(np.array(axis.split(), float), [np.sin(0.5), np.cos(0.5)], atol=1e-12)


# names and files --------------------------------------------------------------------------------------------------


def wicked() -> mb.EquationsOfMotion:
    """Names that are words of MATLAB and C, or too long for them, and texts that would end a comment or a string."""
    system = mb.System("end_" + "very_long_" * 15 + "φ", gravity=(0, 0, -9.81))
    evil = "%} '); system('x') % ... \\ */ int /* \n} end \"\n%{"
    bodies = [system.world]
    for k, name in enumerate(["end", "φ", "numel", "y", "x" * 70, "x" * 71]):
        mass = system.parameter(f"{name}_mass" if k else "p", 1.0 + k, unit="kg", description=evil)
        body = system.body(f"b_{name}", mass, (0, 0, -0.3), (0.1, 0.2, 0.3))
        joint = system.joint(name, bodies[-1].frame(f"f_{name}", (0.1, 0, -0.5)), body, "Rx" if k % 2 else "Ry")
        system.load(mb.JointLoad(joint, system.input(f"function_{k}" if k else "for", description=evil)))
        system.sensor(f"{name}_place" if k else "while", mb.Position(body))
        bodies.append(body)
    return mb.derive(system)


def test_names_and_texts_do_no_harm(tmp_path: Path) -> None:
    case = Case("wicked", wicked())
    octave(tmp_path, evaluation(case, tmp_path))
    program = case.program
    n, m, k = len(program.coordinates), len(program.speeds), len(program.outputs)
    table = np.fromfile(tmp_path / "results").reshape(STATES, -1)
    sizes = {"q_dot": n, "u_dot": m, "outputs": k, "M": m * m, "bias": m}
    ends = np.cumsum([0, *sizes.values()])
    case.agrees({name: table[:, a:b] for name, a, b in zip(sizes, ends, ends[1:], strict=False)})
    for path in tmp_path.glob("*.m"):
        assert max(map(len, re.findall(r"\w+", re.sub("%.*|'[^'\n]*'", "", path.read_text())))) <= 63, path.name


OCTAVE_ONLY = re.compile(
    r"""[!"#`] | [-+*/^]= | \+\+ | -- | \)\( |
    \b(?: end(?:if|for|while|function|switch|_try_catch|_unwind_protect) | until | do | printf | unwind_protect)\b
    """,
    re.VERBOSE,
)
"""What Octave takes and MATLAB does not, outside of comments and texts."""


def plain(text: str) -> str:
    """A file without comments and texts; a quote after a value is a transpose."""
    return re.sub(r"(?<![\w)\].'])'(?:[^'\n]|'')*'|%.*", "", text)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files of several models, one folder for each."""
    folder = tmp_path_factory.mktemp("written")
    for name, eom in {name: named_case(name).eom for name in SLOPES}.items():
        export(eom, Matlab(more=MORE), folder / name)
        export(eom, SFunction(), folder / name)
    export(wicked(), Matlab(limit=50), folder / "wicked")
    return folder


@pytest.mark.parametrize(
    "line", ["if x != 1", "x += 1;", "endif", "# x", 'disp("x");', "get(h)(1)", "x--;", "printf('x');", "endfunction"]
)
def test_what_only_octave_reads_would_be_found(line: str) -> None:
    assert OCTAVE_ONLY.search(plain(f"    {line} % a comment"))


def test_nothing_is_written_that_only_octave_reads(written: Path) -> None:
    """There is no MATLAB here: its differences from Octave are looked for one by one."""
    files = list(written.glob("*/*.m"))
    assert len(files) > 40
    for path in files:
        found = OCTAVE_ONLY.search(plain(path.read_text()))
        assert found is None, f"{path.name}: {found}"


def test_a_second_parser_finds_no_fault(written: Path) -> None:
    """MISS_HIT, for MATLAB: it finds broken syntax, but does not refuse all that only Octave reads."""
    pytest.importorskip("miss_hit", reason="miss_hit is not installed")
    check = [sys.executable, "-m", "miss_hit.mh_lint", "--matlab", "2021a", "--ignore-config", "--brief"]
    said = run(*check, "--input-encoding", "utf-8", written, folder=written).decode()
    assert re.search(rf"{len(list(written.glob('*/*.m')))} file.s. analysed, everything seems fine", said), said


def test_names_of_files_are_different_for_different_models() -> None:
    names = ["a" * 60 + "b", "a" * 60 + "c", "end", "end_", "φ", "phi_", "u03c6_"]
    assert len({stem(name) for name in names}) == len(names)
    assert all(len(stem(name)) <= 40 for name in names)


def crane(inputs: int) -> mb.EquationsOfMotion:
    system = mb.System("crane")
    joint = system.joint("x", system.world, system.body("box", 2.0), "Tx")
    for k in range(inputs):
        system.load(mb.JointLoad(joint, system.input(f"F{k}")))
    return mb.derive(system)


def test_inputs_that_were_edited_stay(tmp_path: Path) -> None:
    path = tmp_path / "crane_inputs.m"
    export(crane(1), Matlab(), tmp_path)
    export(crane(2), Matlab(), tmp_path)
    assert "r = zeros(2, 1);" in path.read_text()  # nobody had touched it

    path.write_text("function r = crane_inputs(t, y, p)\n    r = [sin(t); 0];\nend\n")
    done = export(crane(3), Matlab(), tmp_path)
    assert done.kept == (path,)
    assert "sin(t)" in path.read_text()
    assert "r = zeros(3, 1);" in (tmp_path / "crane_inputs.m.new").read_text()
    assert tmp_path / "crane_der_state.m" in done.replaced


def test_inputs_of_an_older_model_are_noticed(tmp_path: Path) -> None:
    export(crane(2), Matlab(), tmp_path)
    (tmp_path / "crane_inputs.m").write_text("function r = crane_inputs(t, y, p)\n    r = 1;\nend\n")
    said = octave(tmp_path, "try\n crane_der_state(0, [0; 0]);\ncatch e\n printf('%s', e.message);\nend\n")
    assert said == "What crane_inputs returns must have 2 numbers, not 1."


def test_the_same_model_gives_the_same_text() -> None:
    first, second = (Matlab(more=("jacobian",)).files(Program.of(wicked())) for _ in range(2))
    assert first == second


def test_only_what_is_there_can_be_wanted() -> None:
    with refused("name-unknown"):
        Matlab(more=("masses",))
