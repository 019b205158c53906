"""The page on the command line tells the truth: what commands print, what their JSON holds, what exit codes mean."""

import importlib.util
import re
from pathlib import Path

import pytest

from multibody.cli.exit_codes import MEANINGS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def transcript():
    spec = importlib.util.spec_from_file_location("transcript", ROOT / "docs" / "transcript.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def text(transcript):
    return transcript.PAGE.read_text(encoding="utf-8")


def test_the_transcript_is_what_the_commands_print(transcript, text):
    assert text.count("\n$ multibody") > 10
    assert transcript.comparable(transcript.page(text)) == transcript.comparable(text), "run: python docs/transcript.py"


def test_exit_codes_are_on_the_page(text):
    rows = dict(re.findall(r"^\| (\d+) \| (.+) \|$", text, re.MULTILINE))
    assert rows == {str(code.value): meaning for code, meaning in MEANINGS.items()}


EXAMPLES = {
    "new": ["crane.yaml"], "check": ["pendulum"], "demo": ["pendulum"], "bench": ["pendulum", "-d", "1"],
    "derive": ["pendulum"], "compare": ["pendulum", "-F", "kane", "-F", "lagrange"], "export": ["pendulum", "python"],
    "report": ["pendulum", "--seconds", "1"], "simulate": ["pendulum", "-d", "1"],
    "sweep": ["pendulum", "-d", "1", "-s", "angle=0.1,0.2"], "linearize": ["pendulum"], "equilibrium": ["pendulum"],
}  # fmt: skip


@pytest.mark.parametrize("command", EXAMPLES)
def test_the_keys_of_json_are_on_the_page(multibody, text, command):
    (row,) = re.findall(rf"^\| `{command}` \| (`.*) \|$", text, re.MULTILINE)
    outer = re.sub(r"\([^)]*\)", "", row)
    data = multibody(command, *EXAMPLES[command], "--json").data
    assert list(data) == re.findall(r"`(\w+)`", outer)
    for name, inner in re.findall(r"`(\w+)` \(([^)]*)\)", row):
        entries = data[name]
        assert all(set(one) == set(re.findall(r"`(\w+)`", inner)) for one in entries)
        assert entries or name == "findings"
