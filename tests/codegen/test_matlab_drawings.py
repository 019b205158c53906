"""Drawings in MATLAB's animation, by Octave: vertices against a computation by hand, at several states."""

from __future__ import annotations

import json
import re
import struct
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import Matlab, Program, export
from multibody.codegen.targets.matlab.language import stem
from multibody.graph import evaluate
from multibody.library import crane_crab

from .driving import run
from .test_matlab import OCTAVE_ONLY, octave, plain

SHOW = """
if isempty(available_graphics_toolkits())
    printf('no toolkit');
    exit(0);
end
warning('off', 'all');
graphics_toolkit(available_graphics_toolkits(){1});
set(0, 'defaultfigurevisible', 'off');
function write(h)
    keys = {'Vertices', 'Faces', 'FaceColor', 'EdgeColor', 'FaceAlpha', 'EdgeAlpha', 'FaceVertexCData', 'Tag'};
    for k = 1:numel(h)
        for n = 1:numel(keys)
            one.(keys{n}) = get(h(k), keys{n});
        end
        printf('%s\\n', jsonencode(one));
    end
    printf('\\n');
end
"""
"""A function that writes what is drawn, a line for each drawing."""


def pictures(eom: mb.EquationsOfMotion, folder: Path, states: Any, changes: str = "struct()") -> list[list[dict]]:
    """What Octave draws at each state; with all states in one run before that."""
    export(eom, Matlab(), folder)
    name, rows = f"{stem(eom.model.name)}_visual", [list(map(float, state)) for state in states]
    whole = f"{name}((1:{len(rows)}).', [{'; '.join(str(row)[1:-1] for row in rows)}], 0, {changes});"
    calls = [f"write({name}(0, {row}, 0, {changes}));\nclose('all');" for row in rows]
    said = octave(folder, "\n".join([SHOW, whole, *calls]))
    if said == "no toolkit":
        pytest.skip("Octave has no graphics (gnuplot is not installed)")
    return [[json.loads(line) for line in part.splitlines()] for part in said.strip().split("\n\n")]


class World:
    """Numbers for frames of a model at a state."""

    def __init__(self, eom: mb.EquationsOfMotion, state: Any, **parameters: float) -> None:
        known = {symbol: parameters.get(symbol.name, value) for symbol, value in eom.model.parameter_values().items()}
        self._known: dict[Any, Any] = {**known, **dict(zip((*eom.coordinates, *eom.speeds), state, strict=True))}
        self._eom = eom

    def pose(self, frame: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rotation matrix and position."""
        pose = self._eom.kinetics.pose(frame)
        turn, place = pose.rotation.to_matrix().rows, pose.position
        numbers = np.array(evaluate([*map(list, turn), list(place)], self._known), dtype=float)
        return numbers[:3], numbers[3]

    def drawn(self, drawing: Any, points: np.ndarray) -> np.ndarray:
        """Points of a rigid shape."""
        turn, place = self.pose(drawing.frame)
        own = np.array(evaluate([list(row) for row in drawing.pose.rotation.to_matrix().rows], self._known), float)
        offset = np.array(evaluate(list(drawing.pose.position), self._known), float)
        return (points @ own.T + offset) @ turn.T + place

    def laid(self, drawing: Any, axis: str, form: Any) -> np.ndarray:
        """Points of a shape between two frames, by the shortest turn; ``form`` makes it for a length."""
        from scipy.spatial.transform import Rotation

        start, end = self.drawn(drawing, np.zeros((1, 3)))[0], self.pose(drawing.to)[1]
        way, own = end - start, np.eye(3)["xyz".index(axis)]
        angle = np.arccos(own @ way / np.linalg.norm(way))
        across = np.cross(own, way)
        across = across / np.linalg.norm(across) if np.linalg.norm(across) > 1e-9 else np.array([0.0, 1.0, 0.0])
        place = start if axis == "x" else (start + end) / 2
        return Rotation.from_rotvec(angle * across).apply(form(np.linalg.norm(way))) + place


def same_points(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Two sets of points, in any order."""
    a, b = np.asarray(found, float), np.asarray(expected, float)
    gaps = np.linalg.norm(a[:, None] - b[None], axis=2)
    assert gaps.min(axis=0).max() < tolerance
    assert gaps.min(axis=1).max() < tolerance


# shapes by hand ------------------------------------------------------------------------------------------------------


def circles(*rings: tuple[float, float]) -> np.ndarray:
    """Circles of 24 points about z, by radius and height."""
    return np.array([
        (r * np.cos(np.radians(15 * k)), r * np.sin(np.radians(15 * k)), z) for r, z in rings for k in range(24)
    ])  # fmt: skip


def box(x: float, y: float, z: float) -> np.ndarray:
    return np.array(list(product((-x / 2, x / 2), (-y / 2, y / 2), (-z / 2, z / 2))))


def ball(radius: float) -> np.ndarray:
    return circles(*((radius * np.cos(a), radius * np.sin(a)) for a in np.radians(np.arange(-90, 91, 15))))


def rod(radius: float, length: float) -> np.ndarray:
    return circles((0, -length / 2), (radius, -length / 2), (radius, length / 2), (0, length / 2))


def cone(radius: float, length: float) -> np.ndarray:
    return circles((0, -length / 2), (radius, -length / 2), (0, length / 2))


def capsule(radius: float, length: float) -> np.ndarray:
    half = ball(radius)
    upper, lower = half[half[:, 2] > -1e-12], half[half[:, 2] < 1e-12]
    rise = np.array([0, 0, length / 2])
    return np.concatenate([upper + rise, lower - rise])


def coil(radius: float, length: float, turns: int, wire: float) -> np.ndarray:
    """Eight points around the wire, twenty times in a turn."""
    points = []
    for k in range(20 * turns + 1):
        b = np.radians(18 * k)
        out = np.array([np.cos(b), np.sin(b), 0])
        centre = radius * out + [0, 0, length * (k / (20 * turns) - 0.5)]
        points += [centre + wire * (np.cos(a) * out + np.sin(a) * np.eye(3)[2]) for a in np.radians(range(0, 360, 45))]
    return np.array(points)


def arrow(length: float) -> np.ndarray:
    head = [(0.85, 0.05, 0), (0.85, -0.05, 0), (0.85, 0, 0.05), (0.85, 0, -0.05)]
    return length * np.array([(0, 0, 0), (1, 0, 0), *head])


def volume(one: dict) -> float:
    """What triangles enclose, positive if they are counterclockwise from outside (the theorem of Gauss)."""
    corners = np.array(one["Vertices"])[np.array(one["Faces"]) - 1]
    return float(np.linalg.det(corners).sum() / 6)


# models --------------------------------------------------------------------------------------------------------------


def test_crane_crab(tmp_path: Path) -> None:
    """The manual's example, also with a longer rod."""
    eom = mb.derive(crane_crab())
    states = [(1, 0.1, 0, 0), (2.5, -1.2, 1, 2), (0, np.pi, 0, 0)]
    for state, picture in zip(states, pictures(eom, tmp_path, states, "struct('l2', 1.7)"), strict=True):
        world = World(eom, state, l2=1.7)
        forms = box(1, 0.5, 0.1), rod(0.01, 1), ball(0.1)
        for found, drawing, form in zip(picture, eom.model.drawings.values(), forms, strict=True):
            same_points(found["Vertices"], world.drawn(drawing, form))
        x, angle = state[:2]
        load = x - 1.7 * np.sin(angle), 0, -1.7 * np.cos(angle)
        np.testing.assert_allclose(np.mean(picture[2]["Vertices"], axis=0), load, atol=1e-9)
    text = (tmp_path / "CraneCrab_visual.m").read_text()
    assert "sphere_shape(s)" in text
    assert "coil_shape" not in text
    assert "stl_shape" not in text


def everything() -> mb.System:
    """Each shape once, on a body that turns in space, or laid to it; sizes are numbers and expressions."""
    system = mb.System("everything_φ", gravity=(0, 0, -9.81))
    size = system.parameter("end", 0.5)
    body = system.body("bob", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.1))
    system.joint("swing", system.world, body, mb.Universal())
    tip = body.frame("tip", (0.1, 0, -size), mb.Rotation.about_x(0.3))
    place = {"position": (0.1, 0.2, 0.3), "rotation": mb.Rotation.about_z(0.4)}
    for name, shape in {
        "box": mb.Box(0.2, size, 0.1), "ball": mb.Sphere(size / 5), "egg": mb.Ellipsoid(0.1, 0.2, size),
        "rod": mb.Cylinder(0.1, size), "cone": mb.Cone(size, 0.3, colour="#ff0000"),
        "capsule": mb.Capsule(0.1, size, colour=(0, 0, 1, 0.5)), "line": mb.Line(size, colour=(0, 1, 0, 0.25)),
        "arrow": mb.Arrow(size), "axes": mb.Axes(size), "spring": mb.Coil(0.1, size, 3, 0.02),
        "floor": mb.Plane(20, 2 * size), "φ": mb.Box(1, 1, 1),
    }.items():  # fmt: skip
        system.draw(tip, shape, name=name, **place)
    above = system.world.frame("above", (0, 0, 0.7))
    for name, shape in {
        "thread": mb.Line(), "pull": mb.Arrow(), "piston": mb.Cylinder(0.02), "spike": mb.Cone(0.05),
        "bar": mb.Capsule(size / 10), "coil": mb.Coil(size / 10, turns=4, wire=0.01),
    }.items():  # fmt: skip
        system.draw(above, shape, to=tip, name=name, position=(0.1, 0, 0))
    system.draw(tip, mb.Cylinder(0.02), to=tip, name="nowhere")
    return system


@pytest.fixture(scope="module")
def eom() -> mb.EquationsOfMotion:
    return mb.derive(everything())


STATES = [(0.0, 0.0, 0.0, 0.0), (0.4, -0.7, 1.0, 2.0), (-2.0, 2.5, 0.0, 0.0)]
"""In the first one, what is laid hangs straight down: half a turn from its own axis."""


@pytest.fixture(scope="module")
def shown(eom: mb.EquationsOfMotion, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, dict]]:
    """What Octave draws at each state, by names, with ``end`` = 0.8."""
    found = pictures(eom, tmp_path_factory.mktemp("everything"), STATES, "struct('end_', 0.8)")
    return [{one["Tag"]: one for one in picture} for picture in found]


def test_rigid_shapes(eom: mb.EquationsOfMotion, shown: list[dict[str, dict]]) -> None:
    s = 0.8
    forms = {
        "box": box(0.2, s, 0.1), "ball": ball(s / 5), "egg": ball(1) * [0.1, 0.2, s], "rod": rod(0.1, s),
        "cone": cone(s, 0.3), "capsule": capsule(0.1, s), "line": np.array([(0, 0, 0), (s, 0, 0)]), "arrow": arrow(s),
        "axes": np.concatenate([np.zeros((1, 3)), s * np.eye(3)]), "spring": coil(0.1, s, 3, 0.02),
        "floor": box(20, 2 * s, 0),
    }  # fmt: skip
    for state, picture in zip(STATES, shown, strict=True):
        world = World(eom, state, end=s)
        for name, form in forms.items():
            same_points(picture[name]["Vertices"], world.drawn(eom.model.drawings[name], form))


def test_what_is_laid_between_frames(eom: mb.EquationsOfMotion, shown: list[dict[str, dict]]) -> None:
    forms = {
        "thread": ("x", lambda d: np.array([(0, 0, 0), (d, 0, 0)])), "pull": ("x", arrow),
        "piston": ("z", lambda d: rod(0.02, d)), "spike": ("z", lambda d: cone(0.05, d)),
        "bar": ("z", lambda d: capsule(0.08, d)), "coil": ("z", lambda d: coil(0.08, d, 4, 0.01)),
    }  # fmt: skip
    for state, picture in zip(STATES, shown, strict=True):
        world = World(eom, state, end=0.8)
        for name, (axis, form) in forms.items():
            same_points(picture[name]["Vertices"], world.laid(eom.model.drawings[name], axis, form))
        tip = world.pose(eom.model.drawings["nowhere"].frame)[1]
        same_points(picture["nowhere"]["Vertices"], rod(0.02, 0) + tip)  # of no length, and of no direction


def test_faces_look_outward(shown: list[dict[str, dict]]) -> None:
    circle = 12 * np.sin(np.pi / 12)  # the area of a polygon with 24 corners
    expected = {"box": 0.016, "rod": circle * 0.01 * 0.8, "cone": circle * 0.64 * 0.3 / 3, "piston": None}
    for picture in shown:
        for name, size in expected.items():
            way = np.ptp(np.array(picture[name]["Vertices"])[[0, -1]], axis=0)
            size = size or circle * 0.0004 * np.linalg.norm(way)
            assert volume(picture[name]) == pytest.approx(size, rel=1e-9)
        assert volume(picture["ball"]) == pytest.approx(4 / 3 * np.pi * 0.16**3, rel=0.03)
        tube = 4 * np.sin(np.pi / 4) * 0.02**2 * 2 * np.pi * 0.1 * 3  # section and length of the wire, open at its ends
        assert volume(picture["spring"]) == pytest.approx(tube, rel=0.05)


def test_colours_and_opacity(shown: list[dict[str, dict]]) -> None:
    picture = shown[-1]
    assert picture["cone"]["FaceColor"] == pytest.approx([1, 0, 0])
    assert picture["capsule"]["FaceColor"] == pytest.approx([0, 0, 1])
    assert picture["capsule"]["FaceAlpha"] == 0.5
    assert picture["line"]["EdgeColor"] == pytest.approx([0, 1, 0])
    assert picture["line"]["EdgeAlpha"] == 0.25
    assert picture["box"]["FaceColor"] == picture["ball"]["FaceColor"]  # of the same body
    assert picture["piston"]["FaceColor"] == pytest.approx([0.4] * 3)  # the world's
    assert picture["axes"]["FaceVertexCData"] == np.repeat(np.eye(3), 2, axis=0).tolist()
    assert list(picture) == list(everything().drawings)


# files ---------------------------------------------------------------------------------------------------------------

TRIANGLES = np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 1, 0), (0, 0, 1.5)]])


def binary_stl() -> bytes:
    rows = [struct.pack("<12fH", 0, 0, 0, *one.ravel(), 0) for one in TRIANGLES]
    return b"solid, it says, and is binary".ljust(80) + struct.pack("<I", len(rows)) + b"".join(rows)


def ascii_stl() -> str:
    corners = ["".join(f"vertex {x:.3e} {y} {z}\n" for x, y, z in one) for one in TRIANGLES]
    loops = [f"facet normal 0 0 0\nouter loop\n{one}endloop\nendfacet\n" for one in corners]
    return f"solid a\n{''.join(loops)}endsolid a\n"


def test_meshes(tmp_path: Path) -> None:
    """STL files beside the program, or where they were; for all others, a box and a remark."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "it's.stl").write_bytes(binary_stl())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "b.STL").write_text(ascii_stl())
    system = mb.System("meshes", gravity=(0, 0, -9.81))
    body = system.body("bob", 1.0, (0, 0, -1))
    system.joint("swing", system.world, body, "Ry")
    for path in ("parts/it's.stl", elsewhere / "b.STL", "missing.stl", "c.obj"):
        system.draw(body, mb.Mesh(path, scale=(2, 1, -1)), position=(0, 0, -1))
    equations = mb.derive(system)
    (picture,) = pictures(equations, tmp_path, [(0.5, 0)])
    world, drawings = World(equations, (0.5, 0)), list(equations.model.drawings.values())
    for k in range(2):
        expected = world.drawn(drawings[k], TRIANGLES.reshape(-1, 3) * [2, 1, -1])
        np.testing.assert_allclose(picture[k]["Vertices"], expected, atol=1e-9)
        assert picture[k]["Faces"] == [[1, 2, 3], [4, 5, 6]]
    for k in (2, 3):
        assert volume(picture[k]) == pytest.approx(0.01**3)
    text = (tmp_path / "meshes_visual.m").read_text()
    assert "only STL files are drawn here, and not 'c.obj'" in text


@pytest.mark.parametrize("path", [None, "link.dae"])
def test_a_model_with_nothing_but_boxes_for_meshes_is_drawn_as_lines(path: str | None) -> None:
    system = mb.System("lost")
    body = system.body("box", 2.0)
    system.joint("slide", system.world, body, "Tx")
    system.draw(body, mb.Mesh(path, uri="package://gone.stl"))
    text = Matlab().files(Program.of(mb.derive(system)))["lost_visual.m"]
    assert "paths = {" in text
    assert "patch(" not in text


def test_matlab_reads_it(eom: mb.EquationsOfMotion, tmp_path: Path) -> None:
    """Nothing that only Octave reads; and MISS_HIT finds no fault."""
    export(eom, Matlab(), tmp_path)
    for path in tmp_path.glob("*.m"):
        found = OCTAVE_ONLY.search(plain(path.read_text()))
        assert found is None, f"{path.name}: {found}"
    pytest.importorskip("miss_hit", reason="miss_hit is not installed")
    check = [sys.executable, "-m", "miss_hit.mh_lint", "--matlab", "2021a", "--ignore-config", "--brief"]
    said = run(*check, "--input-encoding", "utf-8", tmp_path, folder=tmp_path).decode()
    assert re.search(r"6 file.s. analysed, everything seems fine", said), said
