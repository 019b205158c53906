"""The target: all files of an FMU except the binary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files as resources
from typing import Literal
from uuid import UUID

from multibody.codegen.contract import Names, Target, check_options
from multibody.codegen.naming import file_name
from multibody.codegen.program import Program
from multibody.codegen.syntax import quoted
from multibody.codegen.targets.c.newton import NEWTON
from multibody.codegen.targets.fmi.description import ModelDescription, page
from multibody.codegen.targets.fmi.differentiated import Differentiated
from multibody.codegen.targets.fmi.interface import Interface
from multibody.codegen.targets.fmi.model_source import ModelSource, Settings
from multibody.codegen.targets.fmi.xml_tree import element, text
from multibody.errors import ConversionError

_PARTS = (
    "instance.h", "instance.c", "dead_points.c", "constraints.c", "variables.c", "derivatives.c", "solver.c",
    "snapshot.c", "functions.c",
)  # fmt: skip
_VERSIONS = {2: ("fmi2.h", "fmi2.c"), 3: ("fmi3.h", "fmi3.c", "fmi3_absent.c")}


@dataclass(frozen=True)
class Fmi(Target):
    """A functional mock-up unit for model exchange and co-simulation, as an open folder; ``write_fmu`` packs it.

    States are the coordinates and speeds, outputs the sensors, and all parameters can be tuned. Where there are
    constraints, start values are guesses: they are moved onto the constraints when initialization ends, and so are
    states that drift off. In co-simulation the FMU integrates by itself; see the page in its ``documentation``.

    Args:
        version: of the standard, 2 for FMI 2.0 or 3 for FMI 3.0.
        derivatives: whether there are directional derivatives.
        tolerance: of the solver for co-simulation, relative to each state, unless the importer gives one.
        step: for real time: the longest step of the solver, which then has fixed steps. By default it chooses them.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have.
    """

    version: Literal[2, 3] = 3
    derivatives: bool = True
    tolerance: float = 1e-8
    step: float | None = None
    names: Names = "readable"
    limit: int = 500

    def __post_init__(self) -> None:
        if self.version not in (2, 3) or isinstance(self.version, bool):
            raise ConversionError(
                f"There is no FMI {self.version!r} here.",
                remedy="Write version=2 or version=3.",
                code="option-invalid",
                name="version",
                value=f"{self.version!r:.80}",
            )
        check_options(self, "derivatives", "tolerance", "step", "names", "limit")

    def superseded(self) -> list[str]:
        """What other versions of the standard need."""
        own = (*_VERSIONS[self.version], *(("buildDescription.xml",) if self.version == 3 else ()))
        others = {name for names in _VERSIONS.values() for name in names} | {"buildDescription.xml"}
        return [f"sources/{name}" for name in sorted(others.difference(own))]

    def files(self, program: Program) -> Mapping[str, str]:
        """Description, sources, build files and documentation, by path."""
        program.require_values("Fmi")
        made = Differentiated.from_program(program)
        interface, identifier = Interface.of(made), file_name(program.name, "c")
        source = ModelSource(
            made, interface, Settings(self.derivatives, self.tolerance, self.step or 0.0, self.names, self.limit)
        )
        model = source.files()
        token = _token(self.version, identifier, interface, model)
        description = ModelDescription(
            program.name, identifier, token, interface, self.derivatives, self.tolerance, self.step or 0.0
        )
        sources = {**self._fixed(), **model, "token.h": f"#define TOKEN {quoted(token)}\n", **self._build(identifier)}
        return {
            "modelDescription.xml": text(description.of_version(self.version)),
            **{f"sources/{name}": content for name, content in sources.items()},
            "documentation/index.html": page(program.name, self.version, interface, self.tolerance, self.step),
        }

    def _fixed(self) -> dict[str, str]:
        """The files that are the same for all models, and one that includes them all."""
        header, *functions = _VERSIONS[self.version]
        order = ["model.c", "newton.c", header, *_PARTS, *functions]
        folder = resources("multibody.codegen.targets.fmi") / "sources"
        fixed = {name: (folder / name).read_text(encoding="utf-8") for name in order[2:]} | {"newton.c": NEWTON}
        includes = "\n".join(f'#include "{name}"' for name in ("token.h", *order))
        return {**fixed, "all.c": f"/* The whole FMU. */\n#define FMI_VERSION {self.version}\n{includes}\n"}

    def _build(self, identifier: str) -> dict[str, str]:
        made = {"CMakeLists.txt": _CMAKE.replace("MODEL", identifier)}
        if self.version == 3:
            sources = element("SourceFileSet", element("SourceFile", name="all.c"), language="C99")
            library = element("Library", name="m", external=True)
            build = element("BuildConfiguration", sources, library, modelIdentifier=identifier)
            made["buildDescription.xml"] = text(element("fmiBuildDescription", build, fmiVersion="3.0"))
        return made


def _token(version: int, identifier: str, interface: Interface, sources: Mapping[str, str]) -> str:
    """The same for the same model, another for another."""
    content = "\0".join([str(version), identifier, repr(interface), *sources.values()])
    return f"{{{UUID(bytes=blake2b(content.encode(), digest_size=16).digest())}}}"


_CMAKE = """cmake_minimum_required(VERSION 3.10)
project(MODEL_model C)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_VISIBILITY_PRESET hidden)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# to be copied to the folder of the platform below "binaries"
add_library(MODEL_model SHARED all.c)
set_target_properties(MODEL_model PROPERTIES PREFIX "" OUTPUT_NAME MODEL)
find_library(MATH m)
if(MATH)
  target_link_libraries(MODEL_model PRIVATE ${MATH})
endif()
"""
