"""Whatever is in a file: it is read, or refused with an error of this library."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings, strategies as st

from multibody.errors import MultibodyError
from multibody.graph.names import check
from multibody.io import read_urdf
from multibody.io.meshes import MeshFolder
from multibody.io.urdf.names import Names, identifier

from .samples import INERTIAL, joint, link, robot

SHAPES = """
<visual><origin xyz="1 2 3" rpy="0 0 1.57"/><geometry><mesh filename="package://a/b.stl" scale="1 1 1"/></geometry>
  <material name="m"><color rgba="1 0 0 1"/></material></visual>
<collision><geometry><box size="1 2 3"/></geometry></collision>"""
LIMIT = '<limit lower="-1" upper="1" effort="3" velocity="4"/>'
SEED = robot(
    link("world", ""), link("base", INERTIAL + SHAPES), link("arm"), link("hand"), link("tool", ""), link("finger"),
    joint("slide", "world", "base", "prismatic", f'<axis xyz="0 1 1"/>{LIMIT}'),
    joint("hinge", "base", "arm", "revolute", f'<origin xyz="0 0 1" rpy="1.57 0.2 0"/>{LIMIT}<dynamics damping="1"/>'),
    joint("table", "arm", "hand", "planar", '<axis xyz="1 2 3"/>'),
    joint("glue", "hand", "tool", "fixed", '<origin quat_xyzw="0 0 1 1"/>'),
    joint("grip", "tool", "finger", "continuous", '<mimic joint="hinge" multiplier="2" offset="1"/>'),
)  # fmt: skip
PIECES = re.findall(r"<[^>]*>|[^<]+", SEED)
WORDS = sorted(
    set(re.findall(r'"([^"]*)"', SEED)) | {"nan", "1e308", "-1e-320", "0 0 0", "1e30 1e30 1e30", "", "floating"}
)
NASTY = [
    "&x;",
    "<!DOCTYPE r>",
    "]]>",
    "<a>",
    "\0",
    "\ud800",
    "<?x?>",
    "'",
    "${x}",
    "\ufeff",
    "é",
    "<joint>",
    "&#0;",
    "<![CDATA[",
]


def survives(text: str | bytes, **options: object) -> None:
    """The file is read and frozen, or refused by an error of this library."""
    with suppress(MultibodyError):
        read_urdf(text, **options).system.freeze()  # type: ignore[arg-type]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The sample with some pieces dropped, doubled, exchanged, and some values replaced."""
    pieces = list(PIECES)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces) - 1))
        how = draw(st.integers(0, 4))
        if how == 0:
            del pieces[at]
        elif how == 1:
            pieces.insert(at, draw(st.sampled_from(PIECES)))
        elif how == 2:
            word = draw(st.sampled_from(WORDS))
            values = re.findall(r'"[^"]*"', pieces[at])
            if values:
                pieces[at] = pieces[at].replace(draw(st.sampled_from(values)), f'"{word}"', 1)
        elif how == 3:
            cut = draw(st.integers(0, len(pieces[at])))
            pieces[at] = pieces[at][:cut] + draw(st.sampled_from(NASTY)) + pieces[at][cut:]
        else:
            other = draw(st.integers(0, len(pieces) - 1))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        pieces = pieces or [""]
    return "".join(pieces)


@settings(max_examples=150)
@given(mutated(), st.booleans(), st.sampled_from(["merge", "keep"]), st.sampled_from([None, 1e-3]))
def test_mutated_files(text: str, floating: bool, fixed: str, snap: float | None) -> None:
    survives(text if "<" in text else f"<{text}", floating=floating, fixed=fixed, snap=snap)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), max_size=6), st.booleans())
def test_exchanged_values(exchanges: list[tuple[str, str]], parameters: bool) -> None:
    text = SEED
    for old, new in exchanges:
        text = text.replace(f'"{old}"', f'"{new}"', 1)
    survives(text, numbers="parameters" if parameters else "constants")


@settings(max_examples=50)
@given(st.integers(0, len(SEED) - 1), st.binary(max_size=4))
def test_damaged_bytes(at: int, noise: bytes) -> None:
    data = SEED.encode()
    survives(data[:at] + noise + data[at + len(noise) :])
    survives(data[:at])


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    survives(f"<{text}")
    survives(robot(link("base"), text))


@given(st.lists(st.text(max_size=250), max_size=5))
def test_any_text_becomes_a_usable_name(texts: list[str]) -> None:
    names = Names()
    given_out = [names.take(text, kind, ("", "_dot")) for text in texts for kind in ("link", "joint")]
    assert len(set(given_out)) == len(given_out)
    assert all(check(f"{name}_ddot") and check(name) for name in given_out)
    assert all(check(identifier(text, "robot")) for text in texts)


@given(st.text(alphabet="./\\:%2ea b~\0package", max_size=40))
def test_no_address_leads_out_of_the_folder(uri: str) -> None:
    here = Path(__file__).parent
    for prefix in ("", "package://", "file://", "package://a/", f"file://{here}/"):
        found = MeshFolder(here).find(prefix + uri)
        assert found is None or found.is_relative_to(here)
