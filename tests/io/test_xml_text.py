"""XML that nobody vouches for: what is read, and what is refused before it can do harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.refusal import refused

from multibody.errors import MultibodyError, ParseError
from multibody.io import xml_text
from multibody.io.xml_numbers import number, numbers, three
from multibody.io.xml_text import read_xml

LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol">
  <!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
  <!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">]>
<robot name="&lol3;"/>"""
EXTERNAL = (
    """<!DOCTYPE robot [<!ENTITY secret SYSTEM "file:///etc/passwd">]><robot name="r"><link name="&secret;"/></robot>"""
)
PARAMETER = """<!DOCTYPE robot [<!ENTITY % all SYSTEM "http://127.0.0.1:1/all.dtd"> %all;]><robot/>"""
REMOTE = """<!DOCTYPE robot SYSTEM "http://127.0.0.1:1/robot.dtd"><robot/>"""


@pytest.mark.parametrize("text", [LAUGHS, EXTERNAL, PARAMETER, REMOTE, "<!DOCTYPE robot><robot/>"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_doctype_is_refused_before_any_entity_is_read(text: str, encoding: str) -> None:
    with refused("xml-encoding-unknown"):
        read_xml(text.encode(encoding))


def test_an_entity_without_doctype_is_an_error() -> None:
    with refused("xml-invalid"):
        read_xml('<robot name="&secret;"/>')


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("<robot>\n  <link>\n</robot>", 3, 3),
        ("<robot>\n  <link name=base/>\n</robot>", 2, 14),
        ('<robot name="a" name="b"/>', 1, 17),
        ("\n\n<robot>\n<link></robot>", 4, 9),
        ("<robot>", 1, 8),
    ],
)
def test_malformed_text_is_reported_by_line_and_column(text: str, line: int, column: int) -> None:
    with refused("xml-invalid") as caught:
        read_xml(text)
    assert caught.value.where == f"the given text, line {line}, column {column}"
    before = text[: caught.value.position]
    assert (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1) == (line, column)


def test_elements_know_their_lines_also_after_blank_lines() -> None:
    robot = read_xml('\n \n<?xml version="1.0"?>\n<robot>\n<link name="a"/>\n\n<link name="b"/></robot>')
    assert [(link.get("name"), link.line) for link in robot.all("link")] == [("a", 5), ("b", 7)]
    assert [element.tag for element in robot.walk()] == ["robot", "link", "link"]


def test_prefixes_need_no_declaration() -> None:
    robot = read_xml("<robot><controller:plugin interface:name='x'/></robot>")
    assert robot.children[0].tag == "controller:plugin"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"])
def test_encodings(encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><robot name="käfer"/>'
    assert read_xml(text.encode(encoding)).get("name") == "käfer"
    assert read_xml(text).get("name") == "käfer"  # a string is decoded already, whatever it says


def test_zeros_at_the_end_as_programs_in_c_write_them_are_passed_over() -> None:
    assert read_xml(b'<robot name="x"/>\r\n\0\0').get("name") == "x"
    with refused("xml-invalid"):
        read_xml(b'<robot name="x">\0</robot>')


@pytest.mark.parametrize("encoding", ["klingon", "utf-32", "shift_jis", "punycode", "base64"])
def test_unknown_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(ParseError):
        read_xml(f'<?xml version="1.0" encoding="{encoding}"?><robot name="&#228;"/>'.encode())


def test_limits_of_depth_number_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    with refused("xml-encoding-unknown"):
        read_xml("<a>" * 101 + "</a>" * 101)
    assert read_xml("<a>" * 100 + "</a>" * 100).tag == "a"
    monkeypatch.setattr(xml_text, "MAX_ELEMENTS", 50)
    with refused("xml-encoding-unknown"):
        read_xml("<a>" + "<b/>" * 50 + "</a>")
    monkeypatch.setattr(xml_text, "MAX_BYTES", 2**20)
    with refused("file-too-large"):
        read_xml("<a>" + " " * 2**20 + "</a>")


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text('<robot>\n<link name="x">')
    with pytest.raises(ParseError) as caught:
        read_xml(path)
    assert caught.value.where.startswith("arm.urdf, line 2")
    path.write_text('<robot name="x"/>')
    assert read_xml(str(path)).get("name") == "x"
    monkeypatch.setattr(xml_text, "MAX_BYTES", 10)
    with refused("file-too-large"):
        read_xml(path)


@pytest.mark.parametrize("source", ["no/such/file.urdf", "/", "", "a\0b", "x" * 5000, 7, None])
def test_what_is_no_file_is_an_error(source: object) -> None:
    with pytest.raises(MultibodyError):
        read_xml(source)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "nan",
        "inf",
        "-inf",
        "1e999",
        "1_000",
        "0x10",
        "1,5",
        "",
        " ",
        "1 2",
        "one",
        "１",
        "1e",
        ".",
        "+-1",
        "1e31",
        "${pi}",
    ],
)
def test_what_is_no_finite_number_is_an_error_with_its_place(text: str) -> None:
    element = read_xml(f'<robot>\n<mass value="{text}"/></robot>').children[0]
    with refused("number-invalid") as caught:
        number(element, "value")
    assert caught.value.where == "<mass> in the given text, line 2"


def test_numbers() -> None:
    element = read_xml('<origin xyz=" 1\t-2.5e-1 +.5 " w="7."/>')
    assert numbers(element, "xyz", 3) == three(element, "xyz", (0.0, 0.0, 0.0)) == (1.0, -0.25, 0.5)
    assert number(element, "w") == 7.0
    assert number(element, "missing") is None
    assert three(element, "rpy", (1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)
    with refused("number-invalid"):
        numbers(element, "xyz", 2)
