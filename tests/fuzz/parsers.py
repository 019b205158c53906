"""Everything that reads what comes from outside, each as a function of bytes.

A reader gives a result that is what it claims to be, or an error of this library. Anything else is a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from multibody.errors import MultibodyError

from . import stored_files as files, written_texts as texts

Read = Callable[[bytes, Path], None]


class Parser(NamedTuple):
    """A reader that is put to the test.

    Attributes:
        read: takes any bytes, and a folder for files; asserts what must hold of the result.
        followed: modules whose ways are told apart.
        words: that mean something to it.
        longest: input in bytes.
    """

    read: Read
    followed: tuple[str, ...]
    words: str = ""
    longest: int = 4096


GRAMMAR = (
    "multibody.graph.text.parser",
    "multibody.graph.text.reader",
    "multibody.graph.text.reader",
    "multibody.graph.text.grammar",
)
NAMES = (
    "multibody.graph.names",
    "multibody.graph.text.latex_names",
    "multibody.codegen.syntax",
    "multibody.codegen.targets.fmi.xml_tree",
)
STORE = ("multibody.simulation.results.store", "multibody.simulation.results.recording")
SWEEP = (
    "multibody.simulation.sweeps.sweep_store",
    "multibody.simulation.sweeps.outcome_rows",
    "multibody.simulation.sweeps.outcomes",
    "multibody.simulation.sweeps.result",
)

PARSERS = {
    "expressions": Parser(
        texts.expression, (*GRAMMAR, "multibody.graph.text.plain_text", "multibody.graph.text.printer",
        "multibody.graph.expr",
        "multibody.graph.functions", "multibody.graph.piecewise.conditions"), texts.FORMULA_WORDS, 400,
    ),
    "arguments": Parser(texts.arguments, ("multibody.cli.assignments", *GRAMMAR), texts.ARGUMENT_WORDS, 200),
    "model_files": Parser(texts.model_file, ("multibody.io.model_files", "ruamel", *GRAMMAR), texts.MODEL_WORDS, 2000),
    "robots": Parser(texts.robot, ("multibody.io",), texts.ROBOT_WORDS),
    "names": Parser(texts.names, NAMES, texts.NAME_WORDS, 300),
    "trajectories_csv": Parser(files.trajectory(".csv"), (*STORE, "csv"), files.CSV_WORDS, 1000),
    "trajectories_npz": Parser(files.trajectory(".npz"), (*STORE, "zipfile"), files.NPZ_WORDS),
    "trajectories_parquet": Parser(files.trajectory(".parquet"), STORE, files.NPZ_WORDS),
    "linear_systems": Parser(files.linear_system, ("multibody.linearization",), files.LINEAR_WORDS, 2000),
    "sweeps": Parser(files.sweep, SWEEP, "runs facts SELECT", 32768),
    "sweep_rows": Parser(files.sweep_row, SWEEP, files.ROW_WORDS),
    "cache_entries": Parser(files.cache_entry, ("multibody.compiler.disk_cache",), "", 400),
    "manifests": Parser(files.manifest, ("multibody.codegen.writing", "json"), '{ } [ ] null ".." "model.c": "/', 1000),
    "meshes": Parser(files.mesh, ("multibody.view.scenes.mesh_files", "trimesh.exchange", "collada"), files.MESH_WORDS),
}  # fmt: skip


def attempt(parser: Parser, data: bytes, folder: Path) -> bool:
    """Whether the bytes were read; False if they were refused as they should be.

    Raises:
        Exception: anything else, which is a finding.
    """
    try:
        parser.read(data, folder)
    except MultibodyError as error:
        if not str(error):
            raise AssertionError("an error that says nothing") from error
        return False
    return True
