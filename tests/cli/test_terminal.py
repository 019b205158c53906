"""Tables on a terminal, plain text in a pipe; and what the shell completes."""

from inspect import isabstract

import pytest

import multibody as mb
from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import app
from multibody.cli.choices import FormalismName, TargetName
from multibody.cli.main import Terminal
from multibody.cli.sources import known_models

GRID = AnswerTable(["name [unit]", "value"], [["a", "1"], ["[bold]b[/]", "22"]], "title", right=[1])


def shown(monkeypatch, capsys, **environment):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    Terminal().present(Answer({}, ["text with [brackets]", GRID]))
    return capsys.readouterr().out


def test_a_pipe_gets_plain_text(monkeypatch, capsys):
    lines = shown(monkeypatch, capsys).splitlines()
    assert lines == [
        "text with [brackets]",
        "",
        "title",
        "name [unit]  value",
        "a                1",
        "[bold]b[/]      22",
    ]


def test_a_terminal_gets_a_table(monkeypatch, capsys):
    text = shown(monkeypatch, capsys, FORCE_COLOR="1", TERM="xterm-256color", COLUMNS="80")
    assert "\x1b[1m" in text  # bold
    assert "─" in text
    assert "[bold]b[/]" in text  # what users write is never markup


def test_no_color_is_respected(monkeypatch, capsys):
    text = shown(monkeypatch, capsys, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color", COLUMNS="80")
    assert "\x1b[3" not in text


def completed(monkeypatch, capsys, line):
    """What bash would offer for the last word of a line."""
    from multibody.cli import main

    monkeypatch.setenv("_MULTIBODY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - (0 if line.endswith(" ") else 1)))
    with pytest.raises(SystemExit):
        main([])
    return capsys.readouterr().out.split()


def test_the_shell_completes_commands_models_and_choices(monkeypatch, capsys, folder):
    (folder / "crane.yaml").write_text("")
    (folder / "notes.txt").write_text("")
    assert completed(monkeypatch, capsys, "multibody simu") == ["simulate"]
    assert completed(monkeypatch, capsys, "multibody check cra") == ["crane_crab", "crane.yaml"]
    assert completed(monkeypatch, capsys, "multibody derive pendulum --formalism ka") == ["kane"]
    assert completed(monkeypatch, capsys, "multibody export pendulum mo") == ["modelica"]
    assert completed(monkeypatch, capsys, "multibody demo heavy") == ["heavy_top"]


def test_models_are_found_in_other_folders(folder):
    (folder / "robots").mkdir()
    (folder / "robots" / "arm.urdf").write_text("")
    assert known_models("rob") == ["robots/"]
    assert known_models("robots/") == ["robots/arm.urdf"]
    assert set(mb.library.names()) <= set(known_models())


def test_every_formalism_and_target_can_be_chosen():
    from multibody import codegen, report
    from multibody.formalisms import comparison

    kinds = {type(one).__name__.lower() for one in comparison._ALL}
    assert {name.replace("-", "") for name in FormalismName} == kinds
    kinds = [getattr(package, one) for package in (codegen, report) for one in package.__all__]
    targets = [one for one in kinds if isinstance(one, type) and issubclass(one, codegen.Target)]
    assert set(TargetName) - {"fmu"} == {one.__name__.lower() for one in targets if not isabstract(one)}


def test_every_help_has_examples(multibody):
    names = [one.name for one in app.registered_commands]
    assert sorted(names) == sorted(
        "new check demo bench derive compare export report simulate show sweep linearize equilibrium".split()
    )
    for name in names:
        text = multibody(name, "--help").out
        assert f"multibody {name}" in text.partition("Examples")[2]
        assert "--json" in text
    assert multibody("--version").out == f"multibody {mb.__version__}\n"
