"""Equations on their way to another process: anything that holds expressions as bytes, and back.

A package is for the user's own processes, such as Dask's workers, and stays in memory: whoever opens it runs what it
says, so never open one that comes from a file or from another person. It holds the nodes of all expressions first, row
by row, and then the rest, in which a node is just a number (``graph.transfer``).
"""

from __future__ import annotations

import pickle
import sys
from copyreg import __newobj__  # type: ignore[attr-defined]
from importlib import import_module
from io import BytesIO
from typing import Any

from multibody.errors import ConversionError
from multibody.graph.node import Node
from multibody.graph.transfer import assembled, dismantled
from multibody.model.kinematics import Kinematics
from multibody.simulation.results.code_references import cached_properties, is_library
from multibody.simulation.results.samples import Samples
from multibody.support.optional_libraries import require_library


def packed(thing: Any) -> bytes:
    """Anything as bytes: equations of motion, models, functions, containers and lambdas of them.

    Compiled code stays behind, as all that is computed when it is first asked for; it is made again, or found in the
    cache on disk.

    Raises:
        ConversionError: if something in it cannot travel, such as an open file.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> eom = mb.derive(pendulum)
        >>> arrived = unpacked(packed(eom))
        >>> arrived.acceleration[0] is eom.acceleration[0]
        True
    """
    stream, nodes = BytesIO(), dict[int, Node]()
    try:
        _pickler(stream, nodes).dump(thing)
    except (TypeError, pickle.PicklingError, RecursionError) as error:
        raise ConversionError(
            f"A {type(thing).__name__} cannot be sent to another process.",
            code="object-not-sendable",
            where=repr(thing)[:200],
            cause=str(error),
            remedy="Leave out what belongs to this process alone: open files, locks, generators, windows.",
        ) from error
    return pickle.dumps((_versions(), dismantled(nodes.values())), pickle.HIGHEST_PROTOCOL) + stream.getvalue()


def unpacked(data: bytes) -> Any:
    """What ``packed`` has made bytes of, with the same expressions as in the process that it comes from.

    In one and the same process they are the same objects. In another one, what two packages have in common is one
    object too, as long as something holds it; and symbols are one if their system, name and kind are.

    Args:
        data: made by ``packed`` in one of the user's own processes; opening bytes from elsewhere is dangerous.
    """
    stream = BytesIO(data)
    versions, parts = pickle.load(stream)  # noqa: S301 - from one of our own processes
    if versions != _versions():
        raise ConversionError(
            "A package from another version cannot be opened.",
            code="package-version-unknown",
            cause=f"It comes from {versions}, and this is {_versions()}.",
            remedy="Install the same versions of Python and multibody for all workers.",
        )
    return _Unpickler(stream, assembled(parts)).load()


def _versions() -> str:
    whole = import_module(__name__.partition(".")[0])  # it stands above this package
    return f"Python {sys.version_info[0]}.{sys.version_info[1]} with multibody {whole.__version__}"


def _pickler(stream: BytesIO, nodes: dict[int, Node]) -> Any:
    """A pickler that puts nodes aside, and writes their serials."""

    class Pickler(require_library("cloudpickle", "many").Pickler):  # type: ignore[misc]
        def persistent_id(self, thing: Any) -> int | None:
            if not isinstance(thing, Node):
                return None
            nodes[thing.serial] = thing
            return thing.serial

        def reducer_override(self, thing: Any) -> Any:
            return _recipe(thing) or super().reducer_override(thing)

    return Pickler(stream, pickle.HIGHEST_PROTOCOL)


def _recipe(thing: Any) -> Any:
    """How to make something of a library again without what it has computed; None for anything else.

    Cached properties of the user's objects travel: they may have been overwritten.
    """
    if isinstance(thing, Kinematics):
        return type(thing), (thing.model,)
    results = cached_properties(thing.__class__)
    if not results or not is_library(thing.__class__.__module__):
        return None
    if isinstance(thing, Samples):  # which pickle themselves by ``packed``
        new, args, state, more = __newobj__, (type(thing),), vars(thing), []
    else:
        new, args, state, *more = thing.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    return new, args, {key: value for key, value in state.items() if key not in results}, *more


class _Unpickler(pickle.Unpickler):
    """An unpickler that puts nodes in place of their serials."""

    def __init__(self, stream: BytesIO, nodes: dict[int, Node]) -> None:
        super().__init__(stream)
        self._nodes = nodes

    def persistent_load(self, serial: int) -> Node:
        return self._nodes[serial]
