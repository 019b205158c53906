"""A Simulink S-function of level 2, in C: the model as a block with continuous states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from multibody.codegen.contract import Names, Target, check_options
from multibody.codegen.naming import module_name
from multibody.codegen.program import Program
from multibody.codegen.program_data import ScalarVariable
from multibody.codegen.syntax import one_line
from multibody.codegen.targets.c.c import SYNTAX, C
from multibody.codegen.targets.matlab import sfunction_templates as templates
from multibody.codegen.targets.matlab.language import function, stem


@dataclass(frozen=True)
class SFunction(Target):
    """A block for Simulink: ``<name>_sfun.c``, the model in C, and ``<name>_sfun_make.m``, which compiles both.

    The block has one input port, with all inputs; an output port with all sensors; and one with the state (q, u). Ports
    without signals are left out. Its two parameters are the vector of the model's parameters, which may be tuned during
    a run, and the start values; both may be empty, for the defaults. Constraints, and quaternions of unit length, are
    restored after every step of the solver.

    Args:
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have.

    Example:
        >>> import multibody as mb
        >>> from multibody.codegen import export
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> [path.name for path in export(mb.derive(pendulum), SFunction(), getfixture("tmp_path")).written]
        ['pendulum.c', 'pendulum.h', 'pendulum_sfun.c', 'pendulum_sfun_make.m']
    """

    names: Names = "readable"
    limit: int = 2000

    def __post_init__(self) -> None:
        check_options(self, "names", "limit")

    def files(self, program: Program) -> Mapping[str, str]:
        """The model in C, the S-function, and what builds it."""
        name, own = module_name(program.name, "c"), f"{stem(program.name)}_sfun"
        model = C(jacobians=False, names=self.names, limit=self.limit).files(program)
        return {
            f"{name}.h": model[f"{name}.h"],
            f"{name}.c": model[f"{name}.c"],
            f"{own}.c": _source(program, name, own),
            f"{own}_make.m": _make(program, name, own),
        }


def _source(program: Program, name: str, own: str) -> str:
    states, inputs, first = len(program.states), len(program.inputs), len(program.coordinates)
    signal = "ssGetInputPortRealSignal(S, 0)" if inputs else "NULL"
    direct, driven = _sees_inputs(program, "sensors"), _sees_inputs(program, "projection")

    def given(seen: bool) -> str:
        """The arguments (t, q, u, r, p); inputs must not be asked for where Simulink does not know them yet."""
        r = signal if seen else "NULL"
        return f"ssGetT(S), x, x + {first}, {r}, (const {name}_parameters *)ssGetRWork(S)"

    ports: list[tuple[int, str]] = []  # of the outputs: width, and the statement that fills it
    if program.outputs:
        ports.append((len(program.outputs), templates.SENSORS.format(name=name, call=given(direct))))
    if states:
        ports.append((states, templates.STATE.format(port=len(ports), states=states)))
    widths = [f"ssSetOutputPortWidth(S, {k}, {width});" for k, (width, _) in enumerate(ports)]
    sizes = {"name": name, "states": states, "first": first, "parameters": len(program.parameters)}
    projected = program.has("projection")
    closed = projected and not driven
    assemble = ""
    if closed:
        guess, levels = (", ".join(map(repr, numbers)) for numbers in (program.guess, program.levels))
        assemble = templates.ASSEMBLE.format(guess=guess, levels=levels, **sizes)
    return templates.SOURCE.format(
        own=own, title=one_line(program.name), legend="\n".join(_legend(program, " * ")),
        derivatives=templates.DERIVATIVES.format(call=given(True), **sizes) if states else "",
        input=templates.INPUT.format(inputs=inputs, direct=int(direct)) if inputs else templates.NO_INPUT,
        number_of_ports=len(ports), ports=_lines(widths), outputs=_lines(["(void)x;", *(text for _, text in ports)]),
        projection=(templates.PROJECTION.format(call=given(driven), **sizes) if projected else "") + assemble,
        kept=templates.CLOSED if closed else "", given="" if closed else templates.GIVEN.format(),
        zeros=inputs + 1, **sizes,
    )  # fmt: skip


def _lines(statements: Iterable[str]) -> str:
    return "\n    ".join(statements)


def _sees_inputs(program: Program, routine: str) -> bool:
    """Whether inputs act without delay, as they do on sensors of accelerations."""
    return any("r" in part.arguments for body in program.code([routine], SYNTAX).bodies for part in body.parts)


def _legend(program: Program, margin: str) -> list[str]:
    groups: dict[str, Sequence[ScalarVariable]] = {
        "input": program.inputs, "output 1": program.outputs, "state, and last output": program.states,
        "parameter": program.parameters,
    }  # fmt: skip
    lines = []
    for title, group in groups.items():
        for k, variable in enumerate(group, 1):
            default = f" = {variable.value!r}" if title == "parameter" else ""
            lines.append(f"{margin}{title}({k}): {one_line(f'{variable.name}{default} {variable.meaning}')}")
    return lines


def _make(program: Program, name: str, own: str) -> str:
    remark = [
        f"{own.upper()}_MAKE  Compiles the S-function {own} for Simulink.",
        f"   Use it in a block 'S-Function' with the name {own} and the parameters [], [],",
        "   for the defaults; or a vector of the model's parameters, and a vector of start values.",
        "",
        *_legend(program, "   "),
    ]
    sources = f"fullfile(here, '{own}.c'), fullfile(here, '{name}.c')"
    lines = ["here = fileparts(mfilename('fullpath'));", f"mex('-outdir', here, ['-I', here], {sources});"]
    return function(f"{own}_make()", lines, remark) + "\n"
