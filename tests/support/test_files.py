"""Files that are written as a whole or not at all."""

import os
import stat

import pytest

from multibody.support.files import atomic_file


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="there are no such permissions here")
@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(permissions, tmp_path):
    path = tmp_path / "model.yaml"
    path.write_bytes(b"old")
    path.chmod(permissions)
    with atomic_file(path, True) as stream:
        assert all(mode(one) == permissions for one in tmp_path.iterdir())  # also of the draft, before it has content
        stream.write(b"new")
    assert (path.read_bytes(), mode(path)) == (b"new", permissions)


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    with atomic_file(tmp_path / "a", False) as stream:
        stream.write(b"a")
    (tmp_path / "b").write_bytes(b"b")
    assert mode(tmp_path / "a") == mode(tmp_path / "b")


def test_what_was_there_stays_if_writing_fails(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_bytes(b"old")

    def write_half():
        with atomic_file(path, True) as stream:
            stream.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])
