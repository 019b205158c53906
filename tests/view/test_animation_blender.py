"""GLB files and scripts in Blender itself, where its module ``bpy`` is to be had.

It is large, and made for one version of Python only: ``MULTIBODY_BPY_PYTHON`` names an interpreter that has it.
"""

import importlib.util
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import multibody as mb
from multibody import library
from multibody.view.animation import animate, write_blender
from multibody.view.animation.frames import motion
from multibody.view.scenes.placement import rotation_matrices

PYTHON = os.environ.get("MULTIBODY_BPY_PYTHON") or (sys.executable if importlib.util.find_spec("bpy") else "")

pytestmark = pytest.mark.skipif(not PYTHON, reason="no Python with Blender's module bpy: set MULTIBODY_BPY_PYTHON")

FPS = 20

REPORT = """
import json
def curves(thing):
    action = thing.animation_data.action if thing.animation_data else None
    if action is None:
        return []
    return [c for layer in action.layers for strip in layer.strips for bag in strip.channelbags for c in bag.fcurves]
def report(frames):
    scene, found = bpy.context.scene, {}
    for thing in bpy.data.objects:
        found[thing.name] = {"type": thing.type, "parent": thing.parent and thing.parent.name, "poses": [],
                             "keys": sorted({len(c.keyframe_points) for c in curves(thing)}),
                             "vertices": len(thing.data.vertices) if thing.type == "MESH" else 0}
    for k in frames:
        scene.frame_set(int(k), subframe=k - int(k))
        bpy.context.view_layer.update()
        for thing in bpy.data.objects:
            found[thing.name]["poses"].append([list(row) for row in thing.matrix_world])
    print("REPORT" + json.dumps(found))
"""


def blender(code, folder):
    """What Blender says about its objects, after some code."""
    script = folder / "drive.py"
    script.write_text(f"import bpy\n{code}", encoding="utf-8")
    done = subprocess.run([PYTHON, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("REPORT")]
    return json.loads(lines[0].removeprefix("REPORT")) if lines else {}


def stretched() -> mb.System:
    """A crank in space with a spring; z is up."""
    system = mb.System("crank")
    arm = system.body("arm", 1.0, (0.5, 0, 0), (0.01, 0.1, 0.1))
    system.joint("turn", system.world, arm, mb.Revolute((1, 2, 2)), u=12.0)
    tip = arm.frame("tip", (1, 0, 0))
    system.draw(arm, mb.Box(1, 0.1, 0.1), position=(0.5, 0, 0), name="bar")
    system.draw(system.frame("anchor", (2, 0, 1)), mb.Coil(0.08), to=tip, name="spring")
    return system


@pytest.fixture(scope="module", params=["crank", "spatial_four_bar"])
def run(request):
    system = stretched() if request.param == "crank" else library.spatial_four_bar()
    return mb.simulate(mb.derive(system), duration=1.0)


Y_TO_Z = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def check(found, moving, local):
    """Objects, keys, and poses at the first frame, in the middle and at the end; in Blender z is up.

    ``local`` turns the coordinates of shapes: what is read from glTF has z upward in the frame of each object, too.
    """
    scene = moving.scene
    up = np.eye(3) if scene.up[2] > 0.5 else Y_TO_Z
    for k, place in enumerate(scene.places):
        if not place.body or k == 0:
            continue
        thing = found[place.name]
        assert thing["type"] == "EMPTY"
        moves = np.ptp(moving.poses.position[:, k], axis=0).max() + np.ptp(moving.poses.quaternion[:, k], axis=0).max()
        assert not moves or thing["keys"] == [len(moving.times)]
        for pose, frame in zip(thing["poses"], (0, 7, -1), strict=True):
            matrix = np.array(pose)
            assert matrix[:3, 3] == pytest.approx(up @ moving.poses.position[frame, k], abs=1e-5)
            turn = rotation_matrices(moving.poses.quaternion[frame, k])
            assert matrix[:3, :3] == pytest.approx(up @ turn @ local.T, abs=1e-5)
    for k, tie in enumerate(scene.ties):
        for pose, frame in zip(found[tie.name]["poses"], (0, 7, -1), strict=True):
            ends = [np.array(pose) @ [*local @ [0, 0, z], 1] for z in (0, 1)]
            start = moving.ties.position[frame, k]
            turn = rotation_matrices(moving.ties.quaternion[frame, k])
            end = start + turn[:, 2] * moving.ties.length[frame, k]
            assert ends[0][:3] == pytest.approx(up @ start, abs=1e-5)
            assert ends[1][:3] == pytest.approx(up @ end, abs=1e-5)
    drawn = [one for one in scene.solids if one.layer == "drawings"]
    assert all(found[one.name]["type"] == "MESH" and found[one.name]["vertices"] > 7 for one in drawn)
    assert all(found[one.name]["parent"] == scene.places[one.place].name for one in drawn)


def test_a_glb_file_moves_in_blender_as_the_run_does(run, tmp_path):
    path, moving = animate(run, tmp_path / "run.glb", fps=FPS), motion(run, fps=FPS)
    code = f"""
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = {FPS}
bpy.ops.import_scene.gltf(filepath={str(path)!r})
{REPORT}
report([0, 7, {len(moving.times) - 1}])
"""
    check(blender(code, tmp_path), moving, Y_TO_Z)


def test_the_script_moves_in_blender_as_the_run_does(run, tmp_path):
    *_, script = write_blender(run, tmp_path, name="sample", fps=FPS)
    moving = motion(run, fps=FPS)
    code = f"""
import runpy, warnings
warnings.simplefilter("error")
runpy.run_path({str(script)!r}, run_name="sample")["build"]()
scene = bpy.context.scene
assert (scene.frame_start, scene.frame_end, scene.render.fps) == (1, {len(moving.times)}, {FPS})
{REPORT}
report([1, 8, {len(moving.times)}])
"""
    found = blender(code, tmp_path)
    check(found, moving, np.eye(3))
    assert {"camera", "sun"} <= set(found)


def test_the_script_renders_a_frame(tmp_path):
    run = mb.simulate(mb.derive(stretched()), duration=0.5)
    *_, script = write_blender(run, tmp_path, name="sample")
    text = script.read_text().replace("= 960, 640", "= 96, 64")
    script.write_text(text)
    command = [PYTHON, str(script), "--render", "frame.png", "--frame", "5", "--samples", "4", "--save", "it.blend"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "it.blend").stat().st_size > 10_000
    image = np.asarray(Image.open(tmp_path / "frame.png").convert("RGB")).astype(int)
    assert image.shape == (64, 96, 3)
    assert (image[..., 2] - image[..., 0]).max() > 60  # the bar is blue
