"""Files on disk: whole or not at all, and never over what a user has changed."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import Fmi, export
from multibody.codegen.writing import MANIFEST, write


def names(paths: tuple[Path, ...]) -> list[str]:
    return [path.name for path in paths]


def test_new_unchanged_and_replaced(tmp_path: Path) -> None:
    first = write(tmp_path / "new" / "folder", {"a.txt": "a\n", "sub/b.txt": "b\n"})
    assert names(first.written) == ["a.txt", "b.txt"]
    again = write(first.folder, {"a.txt": "a\n", "sub/b.txt": "other\n"})
    assert (names(again.unchanged), names(again.replaced), again.written, again.kept) == (["a.txt"], ["b.txt"], (), ())
    assert (first.folder / "sub" / "b.txt").read_bytes() == b"other\n"
    assert str(again).splitlines() == [f"{first.folder}/a.txt  unchanged", f"{first.folder}/sub/b.txt  replaced"]


def test_a_changed_file_is_kept_and_the_new_text_is_beside_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, {"a.txt": "one"})
    (tmp_path / "a.txt").write_text("mine")
    with caplog.at_level(logging.WARNING, "multibody"):
        result = write(tmp_path, {"a.txt": "two"})
    assert names(result.kept) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "mine"
    assert (tmp_path / "a.txt.new").read_text() == "two"
    assert "changed by hand" in caplog.text
    third = write(tmp_path, {"a.txt": "three"})
    assert names(third.kept) == ["a.txt"]
    forced = write(tmp_path, {"a.txt": "four"}, overwrite=True)
    assert names(forced.replaced) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "four"


def test_a_file_of_somebody_else_is_kept(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("mine")
    assert names(write(tmp_path, {"CMakeLists.txt": "new"}).kept) == ["CMakeLists.txt"]
    assert (tmp_path / "CMakeLists.txt").read_text() == "mine"


def test_a_changed_file_is_left_alone_while_there_is_nothing_new(tmp_path: Path) -> None:
    write(tmp_path, {"inputs.txt": "empty"})
    (tmp_path / "inputs.txt").write_text("my own law")
    again = write(tmp_path, {"inputs.txt": "empty"})
    assert (names(again.kept), again.proposed) == (["inputs.txt"], ())
    assert not (tmp_path / "inputs.txt.new").exists()
    other = write(tmp_path, {"inputs.txt": "with another input"})
    assert (names(other.kept), names(other.proposed)) == (["inputs.txt"], ["inputs.txt.new"])
    (tmp_path / "inputs.txt.new").unlink()  # once seen, it is not brought again
    assert write(tmp_path, {"inputs.txt": "with another input"}).proposed == ()
    assert (tmp_path / "inputs.txt").read_text() == "my own law"


def test_a_file_that_was_not_touched_follows_the_model(tmp_path: Path) -> None:
    write(tmp_path, {"inputs.txt": "one input"})
    assert names(write(tmp_path, {"inputs.txt": "two inputs"}).replaced) == ["inputs.txt"]


def test_a_proposal_that_was_taken_is_generated_again(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "one"})
    (tmp_path / "a.txt").write_text("mine")
    write(tmp_path, {"a.txt": "two"})
    (tmp_path / "a.txt.new").replace(tmp_path / "a.txt")
    assert names(write(tmp_path, {"a.txt": "two"}).unchanged) == ["a.txt"]
    assert names(write(tmp_path, {"a.txt": "three"}).replaced) == ["a.txt"]


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", ""])
def test_nothing_is_written_elsewhere(tmp_path: Path, name: str) -> None:
    with refused("file-not-writable"):
        write(tmp_path / "folder", {name: "x"})
    assert not (tmp_path / "out.txt").exists()


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "good"})
    with pytest.raises(UnicodeEncodeError):
        write(tmp_path, {"a.txt": "bad \ud800"})
    assert (tmp_path / "a.txt").read_text() == "good"
    assert sorted(path.name for path in tmp_path.iterdir()) == [MANIFEST, "a.txt"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused("file-not-writable"):
        write(tmp_path / "file" / "folder", {"a.txt": "x"})


@pytest.mark.parametrize("broken", ["", "[1, 2]", "{", "\x00"])
def test_a_broken_manifest_counts_as_none(tmp_path: Path, broken: str) -> None:
    write(tmp_path, {"a.txt": "one"})
    (tmp_path / MANIFEST).write_text(broken)
    assert names(write(tmp_path, {"a.txt": "two"}).kept) == ["a.txt"]


def test_a_proposal_that_was_changed_stays(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "one"})
    (tmp_path / "a.txt").write_text("mine")
    assert names(write(tmp_path, {"a.txt": "two"}).proposed) == ["a.txt.new"]
    assert names(write(tmp_path, {"a.txt": "three"}).proposed) == ["a.txt.new"]  # nobody has touched it
    (tmp_path / "a.txt.new").write_text("half of three, and my own")
    assert names(write(tmp_path, {"a.txt": "four"}).proposed) == ["a.txt.new2"]
    assert names(write(tmp_path, {"a.txt": "five"}).proposed) == ["a.txt.new2"]
    texts = [(tmp_path / name).read_text() for name in ("a.txt", "a.txt.new", "a.txt.new2")]
    assert texts == ["mine", "half of three, and my own", "five"]


def test_ends_of_lines_are_no_change(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "one\ntwo\n"})
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    assert names(write(tmp_path, {"a.txt": "one\ntwo\n"}).unchanged) == ["a.txt"]
    assert names(write(tmp_path, {"a.txt": "three\n"}).replaced) == ["a.txt"]


def test_a_file_that_was_never_generated_was_not_changed_by_hand(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.txt").write_text("somebody's")
    with caplog.at_level(logging.WARNING, "multibody"):
        write(tmp_path, {"a.txt": "ours"})
    assert "a.txt was there before and stays as it is; the new text is in a.txt.new" in caplog.text
    assert "changed by hand" not in caplog.text


def test_what_belongs_to_other_options_goes(tmp_path: Path) -> None:
    write(tmp_path, {"old.c": "old", "edited.c": "old", "common.c": "common"})
    (tmp_path / "edited.c").write_text("mine")
    (tmp_path / "stranger.c").write_text("not ours")
    result = write(tmp_path, {"common.c": "common"}, superseded=["old.c", "edited.c", "stranger.c", "none.c"])
    assert names(result.removed) == ["old.c"]
    assert str(result).splitlines() == [f"{tmp_path}/common.c  unchanged", f"{tmp_path}/old.c  removed"]
    assert sorted(path.name for path in tmp_path.glob("*.c")) == ["common.c", "edited.c", "stranger.c"]


@pytest.mark.parametrize("versions", [(2, 3), (3, 2)])
def test_one_version_of_fmi_in_the_place_of_another(versions: tuple[int, int], tmp_path: Path) -> None:
    system = mb.System("block")
    system.joint("x", system.world, system.body("b", 1.0), "Tx")
    eom, clean = mb.derive(system), tmp_path / "clean"
    for version in versions:
        export(eom, Fmi(version), tmp_path / "used")
    export(eom, Fmi(versions[1]), clean)
    found, wanted = ({p.relative_to(one) for p in one.rglob("*")} for one in (tmp_path / "used", clean))
    assert found == wanted
