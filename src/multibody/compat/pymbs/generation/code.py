"""``genCode``: code for other tools, in the call form of the tutorial and by the names of the languages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from multibody.compat.pymbs.command import command
from multibody.compat.pymbs.refusals import UnsupportedError, unused
from multibody.compat.pymbs.world import WorldBase
from multibody.graph import names

if TYPE_CHECKING:
    from multibody.codegen import Target

DIALECTS = {
    "py": "Python", "m": "Matlab", "mo": "Modelica", "c": "C", "cpp": "Cpp", "c++": "Cpp", "fmu": "Fmu",
    "f90": "Fortran90",
}  # fmt: skip
"""The first argument of the call form, and the command that it means."""


class GenCode:
    """Writes code into a folder, which is made if it is not there, and returns the paths of the files.

    Files that were changed by hand, such as ``<name>_inputs.m``, stay; a new text goes beside them, as ``name.new``.
    Backslashes in a folder's name separate folders, everywhere. Settings of PyMbs that have no meaning here, such as
    ``debugMode``, are logged.
    """

    def __init__(self, mbs: WorldBase) -> None:
        self._mbs = mbs

    @command()
    def __call__(self, dialect: str, modelname: str, dirname: str = ".", **settings: Any) -> tuple[Path, ...]:
        """Code in the language of a file ending: ``'py'``, ``'m'``, ``'mo'``, ``'c'``, ``'cpp'`` or ``'fmu'``.

        In Modelica, inputs are variables without an equation, as the tutorial says; the model is partial.
        """
        language = DIALECTS.get(str(dialect).lower().lstrip("."))
        if language is None:
            known = [dialect for dialect, name in DIALECTS.items() if name != "Fortran90"]
            raise UnsupportedError(
                f"There is no code for {dialect!r:.40}.",
                remedy=f"There are: {', '.join(known)}; multibody.export writes for more tools.",
            )
        if language == "Modelica":
            settings = {"inputsAsInputs": False} | settings
        written: tuple[Path, ...] = getattr(self, language)(modelname, dirname, **settings)
        return written

    @command()
    def Python(self, modelname: str, dirname: str = ".", **settings: Any) -> tuple[Path, ...]:
        """``<name>_der_state.py`` with a function ``<name>_der_state(t, y)``, and all else that ``Python()`` writes."""
        from multibody.compat.pymbs.generation.files import PythonFile

        unused("genCode.Python", settings)
        return self.write("genCode.Python", PythonFile(), modelname, dirname)

    @command()
    def Matlab(
        self, modelname: str, dirname: str = ".", symbolic_mode: bool = False, **settings: Any
    ) -> tuple[Path, ...]:
        """``<name>_sim.m``, ``_der_state.m``, ``_inputs.m``, ``_sensors.m``, ``_visual.m``, and ``_parameters.m``."""
        from multibody.codegen import Matlab

        if symbolic_mode:
            raise _unsupported("symbolic_mode", "equations.to_sympy() gives symbolic equations")
        unused("genCode.Matlab", settings)
        return self.write("genCode.Matlab", Matlab(), modelname, dirname)

    @command()
    def Modelica(
        self, modelname: str, dirname: str = ".", inputsAsInputs: bool = True, **settings: Any
    ) -> tuple[Path, ...]:
        """``<name>_der_state.mo``: with inputs, or partial, with variables that have no equation."""
        from multibody.compat.pymbs.generation.files import ModelicaFile

        unused("genCode.Modelica", settings)
        return self.write("genCode.Modelica", ModelicaFile(partial=not inputsAsInputs), modelname, dirname)

    @command()
    def C(
        self, modelname: str, dirname: str = ".", pymbs_wrapper: bool = False, sfunction: bool = False,
        include_visual: bool = False, **settings: Any,
    ) -> tuple[Path, ...]:  # fmt: skip
        """``<name>.h``, ``<name>.c`` and a test program; on request an S-function for Simulink."""
        from multibody.codegen import C, SFunction

        if pymbs_wrapper or include_visual:
            raise _unsupported("pymbs_wrapper and include_visual", "multibody compiles equations by itself")
        unused("genCode.C", settings)
        return self.write("genCode.C", SFunction() if sfunction else C(), modelname, dirname)

    @command()
    def Cpp(self, modelname: str, dirname: str = ".", **settings: Any) -> tuple[Path, ...]:
        """``<name>.hpp``."""
        from multibody.codegen import Cpp

        unused("genCode.Cpp", settings)
        return self.write("genCode.Cpp", Cpp(), modelname, dirname)

    @command()
    def Fmu(
        self, modelname: str, dirname: str = ".", compile: bool = True, **settings: Any  # noqa: A002
    ) -> tuple[Path, ...]:  # fmt: skip
        """``<name>.fmu``; the model in it has the name of the world, see ``MbsSystem(name=…)``."""
        from multibody.codegen import write_fmu

        unused("genCode.Fmu", settings)
        path = _folder(dirname) / f"{names.check(modelname, 'model')}.fmu"
        return (write_fmu(self._mbs.derived("genCode.Fmu"), path, compiler=None if compile else ""),)

    FMU = Fmu

    def Fortran90(self, *args: Any, **named: Any) -> None:
        """Not supported."""
        raise UnsupportedError(
            "There is no code for Fortran.",
            where="PyMbs' genCode.Fortran90",
            remedy="Use genCode.C, and call it from Fortran by iso_c_binding.",
        )

    Fortran = Fortran90

    def CSharp(self, *args: Any, **named: Any) -> None:
        """Not supported."""
        raise UnsupportedError(
            "There is no code for C#.",
            where="PyMbs' genCode.CSharp",
            remedy="Use genCode.C, and call it from C# by P/Invoke, or genCode.Fmu.",
        )

    def write(self, label: str, target: Target, modelname: str, dirname: str) -> tuple[Path, ...]:
        """The files of a target under the name of a model."""
        from multibody.codegen.writing import write
        from multibody.compat.pymbs.generation.files import TitledProgram

        program = TitledProgram.titled(self._mbs.derived(label), names.check(modelname, "model"))
        return write(_folder(dirname), target.files(program)).files


def _folder(dirname: str) -> Path:
    """Scripts that were written for Windows separate folders by backslashes."""
    return Path(dirname.replace("\\", "/"))


def _unsupported(what: str, instead: str) -> UnsupportedError:
    return UnsupportedError(f"{what} is not supported.", remedy=f"Leave it out: {instead}.")
