"""Meshes are looked for below one folder, and never outside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from multibody.io.meshes import MeshFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with meshes, and a secret beside it."""
    root = tmp_path / "root"
    (root / "arm" / "meshes").mkdir(parents=True)
    (root / "arm" / "meshes" / "a b.stl").write_text("mesh")
    (root / "top.stl").write_text("mesh")
    (tmp_path / "secret.stl").write_text("secret")
    (tmp_path / "root2").mkdir()
    (tmp_path / "root2" / "near.stl").write_text("secret")
    (root / "inside.stl").symlink_to(root / "top.stl")
    (root / "outside.stl").symlink_to(tmp_path / "secret.stl")
    (root / "out").symlink_to(tmp_path)
    (root / "circle").symlink_to(root / "circle")
    return root


@pytest.mark.parametrize(
    ("uri", "found"),
    [
        ("package://arm/meshes/a b.stl", "arm/meshes/a b.stl"),
        ("model://arm/meshes/a b.stl", "arm/meshes/a b.stl"),
        ("package://anything/top.stl", "top.stl"),
        ("arm/meshes/a b.stl", "arm/meshes/a b.stl"),
        ("./top.stl", "top.stl"),
        ("arm\\meshes\\a b.stl", "arm/meshes/a b.stl"),
        ("inside.stl", "top.stl"),
    ],
)
def test_what_is_found(folder: Path, uri: str, found: str) -> None:
    meshes = MeshFolder(folder)
    assert meshes.find(uri) == folder / found
    assert meshes.messages() == []


def test_absolute_addresses_below_the_folder(folder: Path) -> None:
    meshes = MeshFolder(folder)
    assert meshes.find(f"file://{folder}/arm/meshes/a%20b.stl") == folder / "arm/meshes/a b.stl"
    assert meshes.find(f"{folder}/top.stl") == folder / "top.stl"


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.stl", "arm/../../secret.stl", "package://../secret.stl", "package://arm/../../secret.stl",
        "package://arm//../secret.stl", "file:///etc/passwd", "file://%2e%2e/secret.stl", "..\\secret.stl",
        "/etc/passwd",
        "outside.stl", "out/secret.stl", "circle/x.stl", "circle", "http://127.0.0.1:1/x.stl", "C:\\secret.stl",
        "package:///etc/passwd", "package://arm//etc/passwd", "a\0b", "x" * 5000, "", "package://", "file://", ".",
        "out/root2/near.stl", "arm", "missing.stl", "package://arm", "data:text/plain,x", "../root2/near.stl",
    ],
)  # fmt: skip
def test_what_is_not_found_or_not_allowed(folder: Path, uri: str) -> None:
    meshes = MeshFolder(folder)
    assert meshes.find(uri) is None
    (message,) = meshes.messages()
    assert uri[:200] in message or repr(uri[:200]) in message


def test_relative_addresses_start_from_the_description_and_then_from_the_folder(folder: Path) -> None:
    meshes = MeshFolder(folder, folder / "arm" / "urdf")
    assert meshes.find("../meshes/a b.stl") == meshes.find("arm/meshes/a b.stl") == folder / "arm/meshes/a b.stl"
    assert meshes.find("../../top.stl") == folder / "top.stl"
    assert meshes.find("../../../secret.stl") is None
    assert MeshFolder(folder / "arm", folder).find("top.stl") is None  # the description lies outside


def test_long_lists_of_missing_files_are_cut(folder: Path) -> None:
    meshes = MeshFolder(folder)
    assert [meshes.find(f"{k}.stl") for k in range(5)] == [None] * 5
    assert meshes.messages() == ["Meshes or textures not found below mesh_root: '0.stl', '1.stl', '2.stl' and 2 more."]


def test_a_neighbour_with_a_similar_name_is_outside(folder: Path) -> None:
    assert MeshFolder(folder).find(f"{folder}2/near.stl") is None


def test_without_a_folder_nothing_is_looked_for(folder: Path) -> None:
    meshes = MeshFolder(None)
    assert meshes.find(str(folder / "top.stl")) is None
    assert meshes.messages() == ["1 files of meshes and textures are named; to find them, give mesh_root."]
