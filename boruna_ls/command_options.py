"""The command lines of `boruna-ls lsp` and `mcp` (`boruna-lsp`, `boruna-mcp`) for click: help, version, messages about mistakes.

Made of the table that the forwarder's own reader has (`forwarder/options.py`), and imported only where that reader does not do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn

import click

from boruna_ls import __version__
from boruna_ls.forwarder.options import FLAG, FOLDER, LONGEST_DEADLINE, NAMES, OPTIONS, Option, converted

SUMMARIES: Final = {
    "lsp": "Serves an editor on standard input and output (LSP).",
    "mcp": "Serves the tools for .ax programs to an MCP client on standard input and output.",
}
SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


def command_of(protocol: str, serve: Callable[[dict[str, Any]], Any]) -> click.Command:
    """The command of a protocol; `serve` gets the value of every option."""

    def callback(**values: Any) -> Any:
        return serve(values)

    parameters: list[click.Parameter] = [parameter_of(option) for option in OPTIONS[protocol]]
    parameters.append(_version())
    return click.Command(
        protocol, SETTINGS, callback, parameters, help=SUMMARIES[protocol], short_help=SUMMARIES[protocol].partition(" (")[0]
    )


def parameters_of(options: Iterable[Option]) -> Callable[[Any], Any]:
    """A decorator that gives a click command these options, first of all."""

    def decorated(command: click.Command) -> click.Command:
        command.params[:0] = [parameter_of(option) for option in options]
        return command

    return decorated


def parse(protocol: str, arguments: Sequence[str], program: str) -> dict[str, Any]:
    """The value of every option; ends the process after help and version (status 0) and for a bad command line (2)."""
    values: list[dict[str, Any]] = []
    _run(command_of(protocol, values.append), arguments, program)
    return values[0]


def refuse(protocol: str, program: str, reason: str) -> NoReturn:
    """Ends the process as click does for a bad command line."""

    def serve(_: dict[str, Any]) -> NoReturn:
        raise click.UsageError(reason, click.get_current_context())

    _run(command_of(protocol, serve), (), program)
    raise AssertionError


def parameter_of(option: Option) -> click.Option:
    """An option of the table for click."""
    if option.kind == FLAG:
        return click.Option([option.written], is_flag=True, help=option.help)
    return click.Option([option.written], metavar=option.metavar, default=None, callback=_checked(option), help=option.help)


def _checked(option: Option) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    def value_of(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
        if text is None:
            return option.default
        value = converted(option, text)
        if value is None:
            reason = (
                f"{{!r}} holds an unknown name: there are {', '.join(option.allowed)}"
                if option.allowed
                else _REASONS[option.kind]
            )
            raise click.BadParameter(reason.format(text), context, parameter)
        return value

    return value_of


_REASONS: Final = {
    FOLDER: "{} is relative to a folder that was deleted: give an absolute path",
    NAMES: "{} is not a list of names",
    "seconds": f"must be more than 0 and at most {LONGEST_DEADLINE:.0f} seconds, not {{}}",
}


def _version() -> click.Option:
    def show(context: click.Context, _: click.Parameter, is_set: bool) -> None:
        if is_set and not context.resilient_parsing:
            click.echo(f"boruna-ls {__version__}")
            context.exit()

    return click.Option(
        ["--version"], is_flag=True, is_eager=True, expose_value=False, callback=show, help="Show the version and exit."
    )


def _run(command: click.Command, arguments: Sequence[str], program: str) -> None:
    try:
        with command.make_context(program, list(arguments)) as context:
            command.invoke(context)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
