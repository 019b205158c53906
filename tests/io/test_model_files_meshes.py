"""Paths of meshes in model files: the same mesh is found wherever the model is written to."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.io import read_urdf
from multibody.io.model_files import ModelFile, model_text, read_model, write_model

STL = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n"
MODEL = "multibody: 1\nname: m\ndrawings: {{d: {{frame: world, shape: {{Mesh: {{path: {path}}}}}}}}}\n"
URDF = '<robot name="r"><link name="a"><visual><geometry><mesh filename="{uri}"/></geometry></visual></link></robot>'


def mesh_file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STL)
    return path.resolve()


def mesh_of(system: mb.System) -> mb.Mesh:
    (drawing,) = system.drawings.values()
    assert isinstance(drawing.shape, mb.Mesh)
    return drawing.shape


def with_mesh(mesh: mb.Mesh) -> mb.System:
    system = mb.System("s")
    system.draw(system.world, mesh)
    return system


def written_to(system: mb.System, path: Path) -> Path | None:
    """The file of the mesh, after the model was written to a path and read from there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return mesh_of(read_model(write_model(system, path))).path


@pytest.mark.parametrize(
    "name", ["a.stl", "meshes/a.STL", "two words/ä ü.stl", "日本/手.obj", "it's: #1, {a}.ply", "\\a.dae"]
)
@pytest.mark.parametrize("place", ["copy.yaml", "below/copy.yaml", "../beside/copy.yaml", "../../far/a b/ç/copy.yaml"])
def test_a_model_that_is_written_elsewhere_has_the_same_mesh(tmp_path, name, place):
    mesh = mesh_file(tmp_path / "x" / "models" / name)
    path = tmp_path / "x" / "models" / "main.yaml"
    write_model(with_mesh(mb.Mesh(mesh)), path)
    assert written_to(read_model(path), path.parent / place) == mesh
    assert str(tmp_path) not in (path.parent / place).read_text()


def test_a_path_relative_to_the_working_folder(tmp_path, monkeypatch):
    mesh = mesh_file(tmp_path / "work" / "meshes" / "a.stl")
    monkeypatch.chdir(tmp_path / "work")
    system = with_mesh(mb.Mesh("meshes/a.stl"))
    assert written_to(system, tmp_path / "out" / "m.yaml") == mesh
    assert "../work/meshes/a.stl" in (tmp_path / "out" / "m.yaml").read_text()


@pytest.mark.parametrize("uri", ["package://pkg/meshes/a.stl", "meshes/a.stl", "../pkg/meshes/a.stl"])
def test_meshes_of_a_robot(tmp_path, uri):
    mesh = mesh_file(tmp_path / "pkg" / "meshes" / "a.stl")
    path = tmp_path / "pkg" / "r.urdf"
    path.write_text(URDF.format(uri=uri))
    robot = read_urdf(path, mesh_root=tmp_path)
    assert mesh_of(robot.system).path == mesh
    assert written_to(robot.system, tmp_path / "elsewhere" / "r.yaml") == mesh


def test_links(tmp_path):
    """The model in a linked folder, and the mesh behind a link: paths lead from where the file really is."""
    mesh = mesh_file(tmp_path / "store" / "deep" / "a.stl")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.stl").symlink_to(mesh)
    (tmp_path / "real" / "deeper" / "still").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "deeper" / "still")
    system = with_mesh(mb.Mesh(tmp_path / "models" / "a.stl"))
    assert written_to(system, tmp_path / "link" / "m.yaml") == mesh
    (tmp_path / "models" / "m.yaml").write_text(MODEL.format(path="a.stl"))
    assert mesh_of(read_model(tmp_path / "models" / "m.yaml")).path == mesh


def test_an_included_file_names_a_mesh(tmp_path):
    mesh = mesh_file(tmp_path / "parts" / "a.stl")
    (tmp_path / "parts" / "arm.yaml").write_text(MODEL.format(path="a.stl"))
    (tmp_path / "main.yaml").write_text("multibody: 1\nname: main\ninclude: parts/arm.yaml\n")
    assert written_to(read_model(tmp_path / "main.yaml"), tmp_path / "out" / "copy.yaml") == mesh


@pytest.mark.parametrize("path", ["parts/a.stl", "../parts/a.stl"])
def test_a_missing_mesh_is_looked_for_where_it_was(tmp_path, path):
    """Another file of the same name beside the copy is not taken for it."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "m.yaml").write_text(MODEL.format(path=path))
    system = read_model(tmp_path / "x" / "m.yaml")
    mesh_file(tmp_path / "y" / "z" / path)
    assert mesh_of(system).path is None
    assert written_to(system, tmp_path / "y" / "z" / "m.yaml") is None
    mesh = mesh_file(tmp_path / "x" / path)
    assert mesh_of(read_model(tmp_path / "y" / "z" / "m.yaml")).path == mesh


def test_between_two_drives_the_path_is_absolute(tmp_path, monkeypatch):
    mesh = mesh_file(tmp_path / "a.stl")

    def relpath(path: object, start: object) -> str:
        raise ValueError("path is on mount 'C:', start on mount 'D:'")

    monkeypatch.setattr("os.path.relpath", relpath)
    assert written_to(with_mesh(mb.Mesh(mesh)), tmp_path / "d" / "m.yaml") == mesh


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "//host/share/a.stl", "..", "../link.stl"])
def test_nothing_but_meshes_is_looked_at_elsewhere(tmp_path, path):
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "link.stl").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "m.yaml").write_text(MODEL.format(path=path))
    with refused("path-outside-folder"):
        read_model(tmp_path / "x" / "m.yaml")


def test_a_folder_that_the_caller_names_holds_for_meshes(tmp_path):
    mesh_file(tmp_path / "a.stl")
    (tmp_path / "x").mkdir()
    path = tmp_path / "x" / "m.yaml"
    path.write_text(MODEL.format(path="../a.stl"))
    with refused("path-outside-folder"):
        read_model(path, folder=path.parent)
    with refused("path-outside-folder"):
        read_model(path.read_text(), folder=path.parent)
    assert mesh_of(read_model(path, folder=tmp_path)).path == (tmp_path / "a.stl").resolve()
    assert mesh_of(ModelFile.read(path).system()).path == (tmp_path / "a.stl").resolve()


def test_textures_of_a_distant_mesh_lie_beside_it(tmp_path):
    mesh = mesh_file(tmp_path / "meshes" / "a.stl")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "m.yaml").write_text(MODEL.format(path="../meshes/a.stl"))
    assert mesh_of(read_model(tmp_path / "x" / "m.yaml")).folder == mesh.parent


def test_a_name_that_is_not_unicode(tmp_path):
    with refused("file-name-impossible"):
        write_model(with_mesh(mb.Mesh(tmp_path / "\udcff.stl")), tmp_path / "m.yaml")


def test_a_path_that_only_this_computer_knows(tmp_path):
    with refused("mesh-path-not-portable"):
        model_text(with_mesh(mb.Mesh(tmp_path / "a.stl")))


def test_a_relative_path_starts_at_the_working_folder_even_if_the_mesh_is_not_there_yet(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    mesh_file(tmp_path / "out" / "a.stl")  # another file of the same name, beside the model
    assert written_to(with_mesh(mb.Mesh("a.stl")), tmp_path / "out" / "m.yaml") is None
    mesh = mesh_file(tmp_path / "work" / "a.stl")
    assert mesh_of(read_model(tmp_path / "out" / "m.yaml")).path == mesh
