"""Readers of stored files: trajectories, linear systems, sweeps, machine code, manifests, meshes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from os import environ
from pathlib import Path

import numpy as np

import multibody as mb
from multibody.codegen.writing import MANIFEST, write
from multibody.compiler import disk_cache
from multibody.linearization import read_linear_system
from multibody.model.shapes.shapes import Mesh
from multibody.simulation.results import store
from multibody.simulation.sweeps.outcome_rows import COLUMNS, checksum, signed
from multibody.simulation.sweeps.sweep_store import Store
from multibody.view.scenes.mesh_files import KINDS, mesh_parts

CSV_WORDS = 't "t [s] [0] [1] [0][0] , " nan inf 1e400'
NPZ_WORDS = "__about__ t.npy PK PAR1 units \x93NUMPY '<f8' 'shape': False (2,)"
LINEAR_WORDS = "linear system state input output kind name unit nan inf , 1.0"
ROW_WORDS = '[ ] { } null NaN "steps": \x93NUMPY <f8 shape'
MESH_WORDS = (
    "solid facet normal outer loop vertex endloop endfacet endsolid ply format ascii 1.0 binary_little_endian element "
    "face property list uchar int float end_header OFF v vt f usemtl mtllib o newmtl Kd glTF JSON BIN <COLLADA "
    '<library_geometries> <mesh> <source <float_array count=" <accessor stride=" <triangles <input semantic="VERTEX" '
    '<p> <instance_geometry url="# <unit meter=" <!DOCTYPE "bufferViews" "accessors" "meshes" "nodes" "buffers" "uri": '
    "999999999"
)


def trajectory(suffix: str) -> Callable[[bytes, Path], None]:
    """The reader for files of one kind: all arrays have as many samples, and come back when they are written."""

    def read(data: bytes, folder: Path) -> None:
        path, again = folder / f"recording{suffix}", folder / f"again{suffix}"
        path.write_bytes(data)
        found = mb.read_trajectory(path)
        assert {len(values) for values in found.values()} == {len(found[next(iter(found))])}
        assert all(values.dtype == float for values in found.values())
        repr(found), found.columns()
        store.write(found, again, overwrite=True)
        assert {*mb.read_trajectory(again).columns()} == {*found.columns()}

    return read


def linear_system(data: bytes, folder: Path) -> None:
    """What is read has finite matrices of matching shapes, and comes back when it is written."""
    path, again = folder / "system.csv", folder / "again.csv"
    path.write_bytes(data)
    found = read_linear_system(path)
    assert all(np.isfinite(matrix).all() for matrix in (found.A, found.B, found.C, found.D))
    found.to_csv(again, overwrite=True)
    back = read_linear_system(again)
    for name in "ABCD":
        np.testing.assert_array_equal(getattr(back, name), getattr(found, name))
    assert (back.states, back.inputs, back.outputs) == (found.states, found.inputs, found.outputs)


@cache
def cart() -> mb.EquationsOfMotion:
    """What was run in the stored sweeps of the corpus."""
    system = mb.System("cart")
    system.joint("x", system.world, system.body("box", mass=2), "Tx")
    return mb.derive(system)


@cache
def cart_runs() -> mb.Sweep:
    """The sweep of the corpus, as it was before it was damaged."""
    return mb.sweep(cart(), 2.0, initial={"x_dot": [1.0, 3.0]}, samples=3, measures={"end": _end})


def _end(run: mb.Trajectory) -> float:
    return float(run["x"][-1])


def sweep(data: bytes, folder: Path) -> None:
    """A damaged sweep gives the numbers that were stored, or none."""
    path, whole = folder / "runs.sweep", cart_runs()
    for left in folder.glob("runs.sweep-*"):
        left.unlink()
    path.write_bytes(data)
    found = mb.read_sweep(path, cart())
    str(found), found.failures
    for mine, stored in [
        (found.values("x"), whole.values("x")), (found.last("x_dot"), whole.last("x_dot")),
        (found.measures["end"], whole.measures["end"]), (found.cases["x_dot"], whole.cases["x_dot"]),
    ]:  # fmt: skip
        assert mine.shape == stored.shape
        same = np.isclose(mine, stored, rtol=1e-12, atol=1e-14)  # to rounding: integrators may change their steps
        assert (np.isnan(mine) | same).all(), (mine, stored)


def sweep_row(data: bytes, folder: Path) -> None:
    """A row with texts and arrays of another's choice, and the right checksum."""
    texts = data.split(b"\n--\n")
    arrays = [*texts[3:6], *[b""] * 3][:3]
    counts, occurrences, value = (one.decode("utf-8", "replace") for one in [*texts[:3], *[b""] * 3][:3])
    row = signed((0, "DONE", "", 0.0, "end", counts, occurrences), arrays)
    measure = (0, "end", value, "")
    runs = Store(None)
    runs.create({})
    runs._base.execute(f"INSERT INTO runs VALUES ({', '.join('?' * len(COLUMNS))})", row)
    runs._base.execute("INSERT INTO measures VALUES (?, ?, ?, ?, ?)", (*measure, checksum(measure)))
    runs.measured(), runs.outcome(0)
    runs.close()


def cache_entry(data: bytes, folder: Path) -> None:
    """Code is taken from the cache only as it was written."""
    folder.chmod(0o700)
    environ[disk_cache.VARIABLE] = str(folder)
    (folder / "key.o").write_bytes(data)
    found = disk_cache.load("key")
    if found is not None:
        assert data == sha256(b"key" + found).digest() + found


def manifest(data: bytes, folder: Path) -> None:
    """Whatever the manifest says: a file that somebody wrote stays, and nothing outside of the folder is touched."""
    root = folder / "exported"
    root.mkdir(exist_ok=True)
    for path in root.iterdir():
        path.unlink()
    (root / "model.c").write_text("mine")
    (root / MANIFEST).write_bytes(data)
    write(root, {"model.c": "ours"}, superseded=["old.c"])
    assert (root / "model.c").read_text() == "mine" or sha256(b"mine").hexdigest().encode() in data
    assert isinstance(json.loads((root / MANIFEST).read_text(encoding="utf-8")), dict)


def mesh(data: bytes, folder: Path) -> None:
    """Finite surfaces whose faces have corners, or a box with a message; the first byte says the kind of file."""
    path = folder / f"part{KINDS[data[0] % len(KINDS)] if data else '.stl'}"
    path.write_bytes(data[1:])
    messages: list[str] = []
    for part in mesh_parts(Mesh(path), 1.0, messages):
        assert np.isfinite(part.vertices).all()
        assert part.faces.shape[1:] == (3,)
        assert part.faces.size == 0 or 0 <= part.faces.min() <= part.faces.max() < len(part.vertices)
        assert part.colour is None or all(0 <= one <= 1 for one in part.colour)
