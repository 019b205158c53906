"""Readers read regular files and nothing else: a FIFO, a device or a directory is refused at once."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.linearization.state_space.linear_system import read_linear_system
from multibody.model import Mesh
from multibody.support.files import open_regular, read_regular, require_regular
from multibody.view.scenes.mesh_files import mesh_parts

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")


def pendulum() -> mb.EquationsOfMotion:
    system = mb.System("pendulum")
    system.joint("angle", system.world, system.body("bob", mass=1, com=(0, 0, -1)), "Ry")
    return mb.derive(system)


def include(path: Path) -> None:
    main = path.with_name("main.yaml")
    main.write_text(f"multibody: 1\nname: main\ninclude: [{path.name}]\n", encoding="utf-8")
    mb.read_model(main)


READERS = {
    "model": (".yaml", mb.read_model),
    "include": (".yaml", include),
    "urdf": (".urdf", mb.read_urdf),
    "recording as CSV": (".csv", mb.read_trajectory),
    "recording as NPZ": (".npz", mb.read_trajectory),
    "recording as Parquet": (".parquet", mb.read_trajectory),
    "run": (".npz", lambda path: mb.Trajectory.read(path, pendulum())),
    "sweep": (".sweep", lambda path: mb.read_sweep(path, pendulum())),
    "sweep that goes on": (".sweep", lambda path: mb.sweep(pendulum(), 1.0, initial={"angle": [1]}, path=path)),
    "linear system": (".csv", read_linear_system),
}


@pytest.mark.parametrize("what", READERS)
def test_a_fifo_is_refused_by_its_name(what: str, tmp_path: Path) -> None:
    suffix, read = READERS[what]
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    with refused("path-not-a-file", "pipe"):
        read(path)
    assert path.is_fifo()


@pytest.mark.parametrize("what", [name for name in READERS if name != "include"])
def test_devices_and_directories_are_refused(what: str, tmp_path: Path) -> None:
    suffix, read = READERS[what]
    for kind, make in (("character device", lambda path: path.symlink_to("/dev/zero")), ("directory", Path.mkdir)):
        path = tmp_path / f"{kind.replace(' ', '_')}{suffix}"
        make(path)
        with refused("path-not-a-file", kind):
            read(path)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("ear")
        with refused("path-not-a-file"):
            require_regular("ear")


def test_links_to_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"content")
    (tmp_path / "link.txt").symlink_to("real.txt")
    assert read_regular(tmp_path / "link.txt") == b"content"
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none.txt")


def test_a_path_that_becomes_a_fifo_between_look_and_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("multibody.support.files.require_regular", lambda path: None)
    with refused("path-not-a-file"):
        open_regular(tmp_path / "pipe")


def test_a_mesh_that_is_a_fifo_is_drawn_as_a_box(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "arm.stl")
    messages: list[str] = []
    (part,) = mesh_parts(Mesh(tmp_path / "arm.stl"), 1.0, messages)
    assert len(np.asarray(part.vertices)) >= 8
    assert "is not a regular file" in messages[0]


@pytest.mark.parametrize("name", ["model.yaml", "robot.urdf", "script.py", "script.py:world"])
def test_the_command_refuses_a_fifo(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name.partition(":")[0])
    done = subprocess.run(
        [sys.executable, "-m", "multibody.cli", "check", name], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 5, done.stderr
    assert "The path is a FIFO, not a regular file." in done.stderr


def test_a_fifo_in_the_place_of_exported_code_does_not_block(tmp_path: Path) -> None:
    mb.export(pendulum(), mb.Python(), tmp_path)
    (path,) = tmp_path.glob("*.py")
    path.unlink()
    os.mkfifo(path)
    with refused("file-not-writable") as error:
        mb.export(pendulum(), mb.Python(), tmp_path)
    assert "FIFO" in str(error.value)
