"""Meshes from files: all formats, and files that are broken, missing, too large or want more than they may."""

import os
import re

import numpy as np
import pytest
import trimesh

import multibody as mb
from multibody.view.scenes import mesh_files
from multibody.view.scenes.build import scene
from multibody.view.scenes.mesh_files import PLACEHOLDER

SIZES = np.array([0.4, 0.2, 0.1])


def shown(path, **options):
    """The solid for a mesh, and the scene."""
    system = mb.System("sample")
    system.joint("q", system.world, system.body("b", 1, (1, 0, 0), (0.1, 0.1, 0.1)), "Rz")
    system.draw(system["b"], mb.Mesh(path, **options), name="mesh")
    seen = scene(system)
    return next(one for one in seen.solids if one.name == "mesh"), seen


def brick(folder, kind):
    """A box in a file, with one corner at the origin so that mirrored or shifted ones are seen."""
    box = trimesh.creation.box(extents=SIZES)
    box.apply_translation(SIZES / 2)
    path = folder / f"brick.{kind}"
    box.export(path)
    return path


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "glb", "dae", "off"])
def test_a_mesh_of_any_kind_has_its_size_and_place(kind, tmp_path):
    solid, seen = shown(brick(tmp_path, kind), scale=(1, 2, 0.5))
    assert seen.messages == ()
    vertices = np.concatenate([part.vertices for part in solid.parts])
    assert vertices.min(axis=0) == pytest.approx([0, 0, 0], abs=1e-7)
    assert vertices.max(axis=0) == pytest.approx(SIZES * [1, 2, 0.5], rel=1e-6)


@pytest.mark.parametrize("kind", ["stl", "glb"])
def test_a_mirrored_mesh_is_not_inside_out(kind, tmp_path):
    solid, _ = shown(brick(tmp_path, kind), scale=(-1, 1, 1))
    (part,) = solid.parts
    a, b, c = np.moveaxis(part.vertices[part.faces], 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6 == pytest.approx(np.prod(SIZES), rel=1e-6)  # its volume


def test_a_surface_with_a_broken_material_is_drawn_without_it(tmp_path):
    path = brick(tmp_path, "dae")
    text = path.read_text()
    assert "<bind_material" in text
    path.write_text(re.sub(r'(<instance_material[^>]*target=")[^"]*"', r'\1#nowhere"', text))
    solid, seen = shown(path)
    assert seen.messages == ()
    assert np.ptp(np.concatenate([part.vertices for part in solid.parts]), axis=0) == pytest.approx(SIZES)


def test_a_file_is_read_again_only_if_it_has_changed(tmp_path, monkeypatch):
    path, read = brick(tmp_path, "stl"), []
    surfaces = mesh_files._surfaces
    monkeypatch.setattr(mesh_files, "_surfaces", lambda *a: read.append(a) or surfaces(*a))
    first, again = (shown(path)[0].parts[0] for _ in range(2))
    assert first is again
    trimesh.creation.box(extents=2 * SIZES).export(path)
    os.utime(path, ns=(0, 1))
    assert np.ptp(shown(path)[0].parts[0].vertices, axis=0) == pytest.approx(2 * SIZES)
    assert len(read) == 2


def test_units_of_collada_are_metres(tmp_path):
    path = brick(tmp_path, "dae")
    text, unit = path.read_text(), '<unit name="millimeter" meter="0.001"/>'
    path.write_text(re.sub("<unit[^>]*/>", "", text).replace("<asset>", f"<asset>{unit}"))
    assert path.read_text().count("meter=") == 1
    solid, seen = shown(path)
    assert seen.messages == ()
    vertices = np.concatenate([part.vertices for part in solid.parts])
    assert np.ptp(vertices, axis=0) == pytest.approx(SIZES / 1000, rel=1e-6)


def test_colours_of_files_are_kept_unless_one_is_given(tmp_path):
    box = trimesh.creation.box(extents=SIZES)
    box.visual.face_colors = (255, 51, 0, 255)
    path = tmp_path / "red.ply"
    box.export(path)
    (part,) = shown(path)[0].parts
    assert part.colour == pytest.approx((1.0, 0.2, 0.0, 1.0), abs=1e-2)
    solid, _ = shown(path, colour="#0000ff")
    assert solid.colour == (0, 0, 1, 1)
    assert solid.parts[0].colour is None


# what a file may not do ----------------------------------------------------------------------------------------------

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl paint\nf 1 2 3\n"


def painted(folder, reference, mtl):
    """An OBJ file that refers to a material, which is stored at ``mtl``."""
    folder.mkdir(parents=True, exist_ok=True)
    mtl.parent.mkdir(parents=True, exist_ok=True)
    mtl.write_text("newmtl paint\nKd 1.0 0.0 0.2\n")
    path = folder / "part.obj"
    path.write_text(f"mtllib {reference}\n{TRIANGLE}")
    return path


def is_paint(solid):
    return solid.parts[0].colour is not None and solid.parts[0].colour[:3] == pytest.approx((1.0, 0.0, 0.2), abs=0.01)


def test_a_material_beside_the_mesh_is_read(tmp_path):
    inside = tmp_path / "model" / "meshes"
    assert is_paint(shown(painted(inside, "paint.mtl", inside / "paint.mtl"))[0])
    above = painted(inside, "../paint.mtl", tmp_path / "model" / "paint.mtl")
    assert is_paint(shown(above, folder=tmp_path / "model")[0])


@pytest.mark.parametrize("way", ["above", "absolute", "link"])
def test_a_material_outside_of_the_folder_is_not_read(way, tmp_path):
    inside, secret = tmp_path / "model" / "meshes", tmp_path / "secret" / "paint.mtl"
    reference = {"above": "../../secret/paint.mtl", "absolute": str(secret), "link": "link.mtl"}[way]
    path = painted(inside, reference, secret)
    if way == "link":
        (inside / "link.mtl").symlink_to(secret)
    solid, _ = shown(path, folder=tmp_path / "model")
    assert len(solid.parts[0].faces) == 1  # the mesh itself is shown
    assert not is_paint(solid)


def refused(path, word):
    solid, seen = shown(path)
    assert [part.colour for part in solid.parts] == [PLACEHOLDER]
    (message,) = seen.messages
    assert path.name in message
    assert word in message


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.stl", b"solid nonsense\nfacet normal 0 0 huh\n"),
        ("a.stl", b""),
        ("a.stl", bytes(80) + b"\xff\xff\xff\xff" + bytes(10)),
        ("a.glb", b"glTF" + bytes(30)),
        ("a.dae", b"<COLLADA>"),
        ("a.ply", b"ply\nformat ascii 1.0\nelement vertex 3\nend_header\n"),
        ("a.obj", b"v 0 0 0\n"),
    ],
)
def test_a_broken_file_becomes_a_box_with_a_message(name, content, tmp_path):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, "a box is drawn in its place")


def test_vertices_that_are_not_numbers_are_not_drawn(tmp_path):
    path = tmp_path / "nan.obj"
    path.write_text("v 0 0 0\nv nan 0 0\nv 0 inf 0\nf 1 2 3\n")
    refused(path, "a box is drawn in its place")


def test_entities_of_a_collada_file_are_not_expanded(tmp_path):
    path = tmp_path / "bomb.dae"
    levels = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    path.write_text(f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{levels}]><COLLADA>&e11;</COLLADA>')
    refused(path, "a box is drawn in its place")


def test_a_missing_file_and_one_of_another_kind_are_named(tmp_path):
    refused(tmp_path / "gone.stl", "was not found")
    (tmp_path / "notes.txt").write_text("no mesh")
    refused(tmp_path / "notes.txt", "is of a kind that is not read")


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    path = brick(tmp_path, "stl")
    monkeypatch.setattr(mesh_files, "LARGEST", 100)
    refused(path, "is too large")
