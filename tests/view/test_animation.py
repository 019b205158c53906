"""Animations: models that move, films and tables, read back by other programs."""

import csv
import json
import math
import struct
import subprocess
from itertools import pairwise

import imageio_ffmpeg
import numpy as np
import pygltflib
import pytest
import trimesh
from PIL import Image
from scipy.spatial.transform import Rotation as Turn
from tests.refusal import refused

import multibody as mb
from multibody import library
from multibody.view.animation import animate, write_blender
from multibody.view.animation.frames import frame_times, motion

SMALL = {"size": (64, 48), "fps": 10}


def crank() -> mb.System:
    """A crank that turns more than once, a spring to a second body that slides, in a world where y is up."""
    system = mb.System("crank_and_spring", gravity=(0, -9.81, 0))
    arm = system.body("arm", 1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    block = system.body("block", 2.0)
    system.joint("turn", system.world, arm, "Rz", u=25.0)
    system.joint("slide", system.world, block, "Tx", 2.0)
    tip = arm.frame("tip", (1, 0, 0))
    system.load(mb.SpringDamper(tip, block, stiffness=20.0, damping=0.1, length=1.0))
    system.draw(arm, mb.Box(1, 0.1, 0.1, colour="steelblue"), position=(0.5, 0, 0), name="bar")
    system.draw(block, mb.Sphere(0.2, colour=(1, 0.5, 0, 0.5)), name="ball")
    system.draw(tip, mb.Coil(0.08), to=block, name="spring")
    system.draw(system.world, mb.Axes(0.5), name="origin")
    return system


@pytest.fixture(scope="module")
def run():
    return mb.simulate(mb.derive(crank()), duration=1.0)


def at(run, t):
    """Angle of the crank and place of the block, at one time or many."""
    names = [one.name for one in run.eom.coordinates]
    return (run.at(t).q[..., names.index(name)][()] for name in ("turn", "slide"))


@pytest.fixture(scope="module")
def glb(run, tmp_path_factory):
    return animate(run, tmp_path_factory.mktemp("glb") / "crank.glb", fps=25)


# moments -------------------------------------------------------------------------------------------------------------


def test_frames_are_at_even_times_of_watching(run):
    assert frame_times(run, 30, 1.0) == pytest.approx(np.arange(31) / 30)
    assert frame_times(run, 25, 0.1) == pytest.approx(np.arange(251) / 250)
    assert frame_times(run, 7, 2.0) == pytest.approx(np.arange(4) * 2 / 7)  # the end is not on a frame


def test_poses_are_those_of_the_run(run):
    moving = motion(run, fps=60)
    phi, x = at(run, moving.times)
    bar, block = (next(k for k, one in enumerate(moving.scene.places) if one.name == name) for name in ("arm", "block"))
    turns = Turn.from_quat(moving.poses.quaternion[:, bar], scalar_first=True).as_matrix()
    assert turns[:, 0, 0] == pytest.approx(np.cos(phi), abs=1e-12)
    assert turns[:, 1, 0] == pytest.approx(np.sin(phi), abs=1e-12)
    assert moving.poses.position[:, block, 0] == pytest.approx(x, abs=1e-12)
    assert moving.ties.length[:, 0] == pytest.approx(np.hypot(np.cos(phi) - x, np.sin(phi)), abs=1e-12)
    assert abs(phi[-1] - phi[0]) > 2 * np.pi
    assert np.abs(np.diff(moving.poses.quaternion[:, bar], axis=0)).max() < 0.4  # without a jump


# GLB -----------------------------------------------------------------------------------------------------------------

SIZES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
TYPES = {5126: "<f4", 5123: "<u2", 5125: "<u4"}


def parsed(path):
    """The two chunks of a GLB file, by the specification."""
    data = path.read_bytes()
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    assert size % 4 == 0
    document = json.loads(data[20 : 20 + size])
    binary, kind = struct.unpack_from("<I4s", data, 20 + size)
    assert kind == b"BIN\0"
    assert 28 + size + binary == len(data)
    return document, data[28 + size :]


def array(document, binary, number):
    accessor = document["accessors"][number]
    view = document["bufferViews"][accessor["bufferView"]]
    columns = SIZES[accessor["type"]]
    values = np.frombuffer(binary, TYPES[accessor["componentType"]], accessor["count"] * columns, view["byteOffset"])
    return values.reshape(-1, columns)


def test_the_file_keeps_the_rules_of_gltf(glb):
    document, binary = parsed(glb)
    assert document["asset"]["version"] == "2.0"
    assert document["buffers"] == [{"byteLength": len(binary)}]
    for view in document["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= len(binary)
    for number, accessor in enumerate(document["accessors"]):
        values = array(document, binary, number)
        assert values.nbytes == document["bufferViews"][accessor["bufferView"]]["byteLength"]
        assert np.isfinite(values).all()
        if "min" in accessor:
            assert accessor["min"] == values.min(axis=0).tolist()
            assert accessor["max"] == values.max(axis=0).tolist()
    for mesh in document["meshes"]:
        for part in mesh["primitives"]:
            places, normals = (array(document, binary, part["attributes"][one]) for one in ("POSITION", "NORMAL"))
            assert "min" in document["accessors"][part["attributes"]["POSITION"]]
            assert len(places) == len(normals)
            assert np.linalg.norm(normals, axis=1) == pytest.approx(1, abs=1e-5)
            corners = array(document, binary, part["indices"])
            assert len(corners) % 3 == 0
            assert corners.max() < len(places)
    children = [child for node in document["nodes"] for child in node.get("children", [])]
    assert sorted([*children, 0]) == list(range(len(document["nodes"])))  # a tree
    for node in document["nodes"]:
        assert np.linalg.norm(node.get("rotation", [0, 0, 0, 1])) == pytest.approx(1, abs=1e-6)
        assert "matrix" not in node


def test_keys_are_unit_quaternions_that_do_not_jump(glb):
    document, binary = parsed(glb)
    (animation,) = document["animations"]
    paths = []
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times, values = (array(document, binary, sampler[one]) for one in ("input", "output"))
        assert document["accessors"][sampler["input"]]["min"] == [0.0]
        assert (np.diff(times[:, 0]) > 0).all()
        assert len(values) == len(times) == 26
        paths.append((document["nodes"][channel["target"]["node"]]["name"], channel["target"]["path"]))
        if paths[-1][1] == "rotation":
            assert np.linalg.norm(values, axis=1) == pytest.approx(1, abs=1e-6)
            assert np.einsum("ki,ki->k", values[1:], values[:-1]).min() > 0
    assert sorted(paths) == [("arm", "rotation"), ("block", "translation"), ("spring", "rotation"),
                             ("spring", "scale"), ("spring", "translation")]  # fmt: skip


def frame(document, binary, name, k):
    """The matrix of a node, at one frame, in glTF's world."""
    nodes = {node["name"]: number for number, node in enumerate(document["nodes"])}
    number, whole = nodes[name], np.eye(4)
    parents = {child: one for one, node in enumerate(document["nodes"]) for child in node.get("children", [])}
    animation = document["animations"][0]
    while number is not None:
        node = dict(document["nodes"][number])
        for channel in animation["channels"]:
            if channel["target"]["node"] == number:
                output = animation["samplers"][channel["sampler"]]["output"]
                node[channel["target"]["path"]] = array(document, binary, output)[k]
        local = np.eye(4)
        local[:3, :3] = Turn.from_quat(node.get("rotation", [0, 0, 0, 1])).as_matrix() * node.get("scale", [1, 1, 1])
        local[:3, 3] = node.get("translation", [0, 0, 0])
        whole, number = local @ whole, parents.get(number)
    return whole


def test_first_and_last_pose_are_those_of_the_run(glb, run):
    document, binary = parsed(glb)
    for k, t in ((0, 0.0), (25, 1.0)):
        phi, s = at(run, t)
        arm = frame(document, binary, "arm", k)
        assert arm[:3, :3] == pytest.approx(Turn.from_euler("z", phi).as_matrix(), abs=1e-6)  # y is up in both
        assert frame(document, binary, "block", k)[:3, 3] == pytest.approx([s, 0, 0], abs=1e-6)
        spring = frame(document, binary, "spring", k)
        assert spring[:3, 3] == pytest.approx([math.cos(phi), math.sin(phi), 0], abs=1e-6)
        assert spring @ [0, 0, 1, 1] == pytest.approx([s, 0, 0, 1], abs=1e-6)


def test_z_of_the_model_is_up_in_the_file(tmp_path):
    system = mb.System("lift")
    system.joint("height", system.world, system.body("cabin", 1, inertia=(1, 1, 1)), "Tz", 3.0, u=1.0)
    run = mb.simulate(mb.derive(system), duration=0.2)
    document, binary = parsed(animate(run, tmp_path / "lift.glb"))
    assert frame(document, binary, "cabin", 0) @ [0, 0, 0, 1] == pytest.approx([0, 3, 0, 1], abs=1e-6)
    assert frame(document, binary, "cabin", 0) @ [1, 0, 0, 1] == pytest.approx([1, 3, 0, 1], abs=1e-6)


def test_trimesh_and_pygltflib_read_the_file(glb, run):
    seen = trimesh.load_scene(glb)
    assert {"arm", "block", "world", "bar", "ball", "spring", "origin"} <= set(seen.graph.nodes)
    assert {"bar", "ball", "spring"} <= {name.split("_")[0] for name in seen.geometry}
    phi, s = at(run, 0.0)
    assert seen.graph.get("ball")[0][:3, 3] == pytest.approx([s, 0, 0], abs=1e-6)  # the start is the first frame
    bar = seen.graph.get("bar")[0]
    assert bar[:3, 3] == pytest.approx([0.5 * math.cos(phi), 0.5 * math.sin(phi), 0], abs=1e-6)
    file = pygltflib.GLTF2().load(str(glb))
    assert len(file.animations[0].channels) == 5
    assert file.accessors[file.animations[0].samplers[0].input].max == [1.0]
    glass = [one for one in file.materials if one.alphaMode == "BLEND"]
    assert [one.pbrMetallicRoughness.baseColorFactor[3] for one in glass] == [0.5]
    assert glass[0].pbrMetallicRoughness.baseColorFactor[1] == pytest.approx(0.2140, abs=1e-4)  # 0.5 of sRGB as light


def test_slow_motion_takes_longer(run, tmp_path):
    document, binary = parsed(animate(run, tmp_path / "slow.glb", fps=10, speed=0.2))
    times = array(document, binary, document["animations"][0]["samplers"][0]["input"])
    assert times[-1, 0] == pytest.approx(5.0)
    assert len(times) == 51


def test_what_rests_has_no_keys(tmp_path):
    system = mb.System("still", gravity=(0, 0, 0))
    system.joint("q", system.world, system.body("body", 1, inertia=(1, 1, 1)), "Tx")
    document, _ = parsed(animate(mb.simulate(mb.derive(system), duration=0.5), tmp_path / "still.glb"))
    assert "animations" not in document


def test_names_may_be_in_any_language(tmp_path):
    system = mb.System("Wagen")
    box = system.body("Körper", 1, inertia=(1, 1, 1))
    system.joint("weg", system.world, box, "Tx", u=1.0)
    system.draw(box, mb.Box(), name="Kasten")
    document, _ = parsed(animate(mb.simulate(mb.derive(system), duration=0.5), tmp_path / "w.glb"))
    assert {"Wagen", "Körper", "Kasten"} <= {node["name"] for node in document["nodes"]}


# films ---------------------------------------------------------------------------------------------------------------


def test_a_gif_has_all_frames_and_lasts_as_long_as_the_run(run, tmp_path):
    path = animate(run, tmp_path / "crank.gif", size=(64, 48), fps=15)
    with Image.open(path) as film:
        assert film.size == (64, 48)
        assert film.n_frames == 16
        assert film.info["loop"] == 0
        lasts, shots = 0, []
        for k in range(film.n_frames):
            film.seek(k)
            lasts += film.info["duration"]
            shots.append(np.asarray(film.convert("RGB")).astype(int))
    assert lasts == pytest.approx(1000 * 16 / 15, abs=10)
    assert all(np.abs(one - other).max() > 50 for one, other in pairwise(shots))


def test_the_frames_of_a_gif_are_the_pictures(run, tmp_path):
    view = {"size": (64, 48), "camera": ((1, 0, 8), (1, 0, 0))}
    path = animate(run, tmp_path / "crank.gif", fps=10, **view)
    with Image.open(path) as film:
        film.seek(7)
        shot = np.asarray(film.convert("RGB")).astype(int)
    from multibody.view import picture

    expected = picture(run, t=0.7, **view).astype(int)
    assert np.abs(shot - expected).mean() < 4  # 256 colours


def test_an_mp4_has_all_frames(run, tmp_path):
    path = animate(run, tmp_path / "crank.mp4", size=(65, 48), fps=10)  # an odd width is made even
    decode = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(decode, capture_output=True, check=True, timeout=300)
    (about,) = [line for line in done.stderr.decode().splitlines() if "Video: h264" in line]
    assert "yuv420p" in about
    assert "66x48" in about
    assert "10 fps" in about
    frames = np.frombuffer(done.stdout, np.uint8).reshape(-1, 48, 66, 3).astype(int)
    assert len(frames) == 11
    assert np.abs(frames[0] - frames[5]).max() > 50


@pytest.mark.parametrize(("program", "code"), [("false", "film-not-written"), ("missing", "file-not-writable")])
def test_when_ffmpeg_fails_nothing_is_written(run, tmp_path, monkeypatch, program, code):
    script = tmp_path / "ffmpeg"
    if program == "false":
        script.write_text("#!/bin/sh\necho 'no room left' >&2\nexit 3\n")
        script.chmod(0o755)
    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", lambda: str(script))
    folder = tmp_path / "out"
    folder.mkdir()
    with refused(code, "no room left" if program == "false" else "ffmpeg"):
        animate(run, folder / "crank.mp4", **SMALL)
    assert not list(folder.iterdir())


def test_an_interruption_leaves_nothing_behind(run, tmp_path, monkeypatch):
    from multibody.view.animation import film

    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(film.subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1])

    def interrupted(moving, studio):
        yield studio.picture(type(moving.poses)(*(one[0] for one in moving.poses)))
        raise KeyboardInterrupt

    monkeypatch.setattr(film, "frames", interrupted)
    for suffix in ("mp4", "gif"):
        with pytest.raises(KeyboardInterrupt):
            animate(run, tmp_path / f"crank.{suffix}", **SMALL)
    assert not list(tmp_path.iterdir())
    assert started
    assert all(one.poll() is not None for one in started)  # ffmpeg has ended, and so has a look for it


def test_a_missing_library_is_named(run, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with refused("library-missing"):
        animate(run, tmp_path / "crank.mp4", **SMALL)
    assert not list(tmp_path.iterdir())


# pages ---------------------------------------------------------------------------------------------------------------


def test_a_page(run, tmp_path):
    path = animate(run, tmp_path / "crank.html")
    assert path.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


# tables --------------------------------------------------------------------------------------------------------------


def test_the_table_for_blender_holds_the_motion_exactly(run, tmp_path):
    path, _, _ = write_blender(run, tmp_path, name="crank", fps=20)
    with path.open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    values = dict(zip(header, np.array(rows, dtype=float).T, strict=True))
    moving = motion(run, fps=20)
    names = [one.name for one in moving.scene.places]
    assert (values["t [s]"] == moving.times).all()
    for name in ("arm", "block"):
        k = names.index(name)
        for i, axis in enumerate("xyz"):
            assert (values[f"{name}.{axis} [m]"] == moving.poses.position[:, k, i]).all()
        for i, part in enumerate("wxyz"):
            assert (values[f"{name}.q{part}"] == moving.poses.quaternion[:, k, i]).all()
    assert (values["spring.length [m]"] == moving.ties.length[:, 0]).all()
    assert len(header) == len(set(header))


def test_names_in_the_table_are_unique(tmp_path):
    system = mb.System("twins")
    one = system.body("arm_1", 1, (0.5, 0, 0), (0.1, 0.1, 0.1))
    system.joint("arm", system.world, one, ["Rz", "Ry"], u=(1.0, 0.0))  # its inner frame is called arm_1 as well
    run = mb.simulate(mb.derive(system), duration=0.2)
    path, shapes, _ = write_blender(run, tmp_path)
    header = path.read_text().splitlines()[0].split(",")
    assert len(header) == len(set(header)) == 1 + 2 * 7
    assert json.loads(shapes.read_text())["movers"] == ["arm_1", "arm_1_2"]


def test_the_script_is_python_and_holds_nothing_but_the_name(run, tmp_path):
    *_, script = write_blender(run, tmp_path, name='x"; import os #\n')
    assert script.name == "x___import_os____blender.py"
    compile(script.read_text(), str(script), "exec")
    assert "import os" not in script.read_text()
    assert "@NAME@" not in script.read_text()


# what cannot be ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".avi", "", ".png"])
def test_an_unknown_suffix_is_told(run, tmp_path, suffix):
    with refused("file-kind-unknown"):
        animate(run, tmp_path / f"crank{suffix}")


@pytest.mark.parametrize("suffix", ["glb", "gif", "mp4", "html"])
def test_a_file_that_exists_is_kept(run, tmp_path, suffix):
    path = tmp_path / f"crank.{suffix}"
    path.write_text("mine")
    with refused("file-exists"):
        animate(run, path, **SMALL)
    assert path.read_text() == "mine"


def test_files_for_blender_that_exist_are_kept(run, tmp_path):
    (tmp_path / "crank_blender.py").write_text("mine")
    with refused("file-exists"):
        write_blender(run, tmp_path, name="crank")
    assert [one.name for one in tmp_path.iterdir()] == ["crank_blender.py"]
    assert len(write_blender(run, tmp_path, name="crank", overwrite=True)) == 3


@pytest.mark.parametrize(
    ("options", "code", "named"),
    [
        ({"fps": 0}, "number-not-positive", "fps"),
        ({"fps": "fast"}, "number-not-positive", "fps"),
        ({"speed": -1.0}, "number-not-positive", "speed"),
        ({"speed": np.nan}, "number-not-positive", "speed"),
        ({"speed": np.inf}, "number-not-positive", "speed"),
        ({"fps": 0.5}, "frame-count-invalid", ""),
        ({"fps": 1e9}, "frame-count-invalid", ""),
        ({"layers": ["everything"]}, "name-unknown", "'everything'"),
    ],
)
def test_what_cannot_be_animated_is_told(run, tmp_path, options, code, named):
    with refused(code, named):
        animate(run, tmp_path / "crank.glb", **options)
    assert not list(tmp_path.iterdir())


def test_a_run_of_another_system_is_refused(run, tmp_path):
    with refused("run-of-another-system"):
        animate(run, tmp_path / "crank.glb", thing=library.crane_crab())
    with refused("run-expected"):
        animate(crank(), tmp_path / "crank.glb")
    with refused("run-expected"):
        write_blender(crank(), tmp_path)
    with refused("file-name-invalid"):
        animate(run, None)
    with refused("file-name-invalid"):
        write_blender(run, None)


def test_an_animation_of_a_run_that_failed_says_so(tmp_path, caplog):
    system = mb.System("spring")
    system.load(mb.JointSpring(system.joint("x", system.world, system.body("mass", 1.0), "Tx", q=1.0), 100.0))
    eom = mb.derive(system)
    run = mb.simulate(eom, 10.0, integrator=mb.DormandPrince8(max_steps=5), on_failure="return")
    mb.animate(run, tmp_path / "failed.glb")
    (said,) = caplog.messages
    assert run.message in said
    caplog.clear()
    mb.animate(mb.simulate(eom, 0.5), tmp_path / "whole.glb")
    assert caplog.messages == []
