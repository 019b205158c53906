"""The command and its sub-commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

import multibody
from multibody.cli.answer import Answer
from multibody.cli.exit_codes import MEANINGS
from multibody.cli.options import AsJson, Debug

CODES = "\n".join(f"- **{code.value}** {meaning}" for code, meaning in MEANINGS.items())

ABOUT = f"""From the description of a mechanical system to its equations of motion, and to all that follows from them.

A first walk, with a model from the library:

- `multibody demo` shows what there is
- `multibody derive pendulum` prints equations of motion
- `multibody simulate crane_crab -d 5 -i F='10*sin(t)' -o run.csv`
- `multibody new my_crane.yaml` writes a model file to begin with

**Exit codes**

{CODES}
"""

app = typer.Typer(
    name="multibody", help=ABOUT, no_args_is_help=True, rich_markup_mode="markdown", pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip

Command = Callable[..., Answer]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"multibody {multibody.__version__}")
        raise typer.Exit


@app.callback()
def root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version, and stop.")
    ] = False,
) -> None:
    """The options before the name of a sub-command; the help is ``ABOUT``."""


def command(name: str, *, panel: str) -> Callable[[Command], Command]:
    """Make a function a sub-command; ``--json`` and ``--debug`` come with it.

    These two are looked after by ``main``, because they count for errors in the command line, too.

    Args:
        name: of the sub-command.
        panel: the heading it stands under in the help.
    """

    def made(function: Command) -> Command:
        own = inspect.signature(function, eval_str=True)
        extra = [
            inspect.Parameter(option, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
            for option, kind in (("json", AsJson), ("debug", Debug))
        ]

        @wraps(function)
        def run(*args: Any, json: bool, debug: bool, **options: Any) -> Answer:
            return function(*args, **options)

        parameters = [*own.parameters.values(), *extra]
        vars(run)["__signature__"] = own.replace(parameters=parameters)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        app.command(name, rich_help_panel=panel, no_args_is_help=_needs_more(own))(run)
        return function

    return made


def _needs_more(signature: inspect.Signature) -> bool:
    """Whether the sub-command cannot do anything without arguments."""
    wanted = [parameter for parameter in signature.parameters.values() if parameter.annotation is not typer.Context]
    return any(argument.default is argument.empty for argument in wanted)
