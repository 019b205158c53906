"""Files with the names, and with the functions and variables, that PyMbs writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.codegen import Matlab, Modelica, Program, Python, Target
from multibody.equations import EquationsOfMotion
from multibody.graph.names import escape


@dataclass(frozen=True, eq=False)
class TitledProgram(Program):
    """A program under the name of a model, which PyMbs learns when code is generated."""

    title: str

    @property
    def name(self) -> str:
        """The title."""
        return self.title

    @staticmethod
    def titled(eom: EquationsOfMotion, title: str) -> TitledProgram:
        """The program of equations of motion."""
        program = Program.of(eom)
        return TitledProgram(eom, program.parameters, program.coordinates, program.speeds, title)


@dataclass(frozen=True)
class PythonFile(Target):
    """``<name>_der_state.py``, with a function ``<name>_der_state(t, y)`` for any integrator."""

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        (text,) = Python().files(program).values()
        name = f"{escape(program.name, 'python')}_der_state"
        return {f"{name}.py": text + _DER_STATE.format(name=name)}


_DER_STATE = '''

def {name}(t, y):
    """The rate of the state y = (q, qd), with all inputs zero."""
    return der_state(t, y)
'''


@dataclass(frozen=True)
class AnimationFiles(Target):
    """``<name>_visual.m``, which moves the shapes in MATLAB or Octave, and what it calls.

    Args:
        limits: the least and the greatest x, y and z on the axes; without them, the axes fit the motion.
    """

    limits: tuple[float, ...] = ()

    def files(self, program: Program) -> Mapping[str, str]:
        """Some of those that ``Matlab()`` writes."""
        needed = "_visual.m", "_parameters.m", "_inputs.m"
        texts = {path: text for path, text in Matlab().files(program).items() if path.endswith(needed)}
        if not self.limits:
            return texts
        return {path: _within(text, self.limits) if path.endswith(needed[0]) else text for path, text in texts.items()}


def _within(text: str, limits: tuple[float, ...]) -> str:
    """An animation on axes with other limits, which keep one scale for all directions."""
    rows = "; ".join(f"{low!r}, {high!r}" for low, high in zip(limits[::2], limits[1::2], strict=True))
    chosen = re.sub(r"limits = \(low \+ high\).*", f"limits = [{rows}];", text, count=1)
    return chosen.replace("'PlotBoxAspectRatio', [1, 1, 1]", "'PlotBoxAspectRatio', diff(limits, 1, 2).'", 1)


@dataclass(frozen=True)
class ModelicaFile(Target):
    """``<name>_der_state.mo``, in which vectors and matrices of PyMbs are arrays, such as ``d[1]``.

    Args:
        partial: whether inputs are variables without an equation, for a model that extends this one; then they are
            arrays, too.
    """

    partial: bool

    def files(self, program: Program) -> Mapping[str, str]:
        """One model."""
        longer = TitledProgram.titled(program.eom, f"{program.name}_der_state")
        ((path, text),) = Modelica(partial=self.partial).files(longer).items()
        arrays = [f"  Real {array}" for array in _sensor_arrays(program, text)]
        inputs = dict(_input_arrays(program, text)) if self.partial else {}
        head, rest = _split(text)
        declared = [*arrays, *(f"  Real {array}" for array in inputs)]
        block = ["  // vectors and matrices", *declared] if declared else []
        ties = [line for lines in inputs.values() for line in lines]
        return {path: "\n".join([*head, *block, *_tied(rest, ties)])}


def _split(text: str) -> tuple[list[str], list[str]]:
    """The lines of a model before, and after, its public declarations end."""
    lines = text.split("\n")
    end = next(k for k, line in enumerate(lines) if line in ("protected", "equation", "initial equation"))
    return lines[:end], lines[end:]


def _tied(lines: list[str], ties: list[str]) -> list[str]:
    start = lines.index("equation") + 1
    return [*lines[:start], *ties, *lines[start:]]


def _sensor_arrays(program: Program, text: str) -> Iterator[str]:
    """Declarations such as ``d[2] = {d_1, d_2};``."""
    for name, value in program.eom.outputs.items():
        shape = np.shape(value)
        if shape and _can_be_array(name, shape, text):
            yield f"{name}[{', '.join(map(str, shape))}] = {_braces(_elements(name, shape).tolist())};"


def _input_arrays(program: Program, text: str) -> Iterator[tuple[str, list[str]]]:
    """Declarations such as ``F[3];``, each with the equations for its elements."""
    for input_ in program.eom.model.inputs:
        shape = np.shape(input_.symbols)
        if shape and _can_be_array(input_.name, shape, text):
            places = [", ".join(str(k + 1) for k in place) for place in np.ndindex(*shape)]
            names = _elements(input_.name, shape).ravel()
            ties = [f"  {name} = {input_.name}[{place}];" for name, place in zip(names, places, strict=True)]
            yield f"{input_.name}[{', '.join(map(str, shape))}];", ties


def _can_be_array(name: str, shape: tuple[int, ...], text: str) -> bool:
    """Whether a name is free, and its elements are spelled as they are called."""
    words = set(re.findall(r"^ +(?:\w+ )*Real (\w+)", text, re.MULTILINE))
    return name == escape(name, "modelica") and name not in words and words.issuperset(_elements(name, shape).ravel())


def _elements(name: str, shape: tuple[int, ...]) -> Any:
    """The names of an array's elements."""
    made = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        made[place] = "_".join([name, *(str(k + 1) for k in place)])
    return made


def _braces(nested: list[object] | object) -> str:
    return f"{{{', '.join(map(_braces, nested))}}}" if isinstance(nested, list) else str(nested)
