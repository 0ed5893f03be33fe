"""The command line `boruna-ls`.

A sub-command is a module of this package that is imported when it is asked for; `COMMANDS` is the table. Whatever goes
wrong ends as a sentence on standard error and an exit status, never as a traceback.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import Final

import click

from boruna_ls import __version__

FAILED: Final = 1
USAGE: Final = 2
BROKEN_PIPE: Final = 141
INTERRUPTED: Final = 130

COMMANDS: Final = {
    "check": "Check programs and report diagnostics.",
    "repair": "Repair programs.",
    "fmt": "Format programs.",
    "literate": "Extract programs from Markdown documents.",
    "ast": "Show the syntax tree of a program.",
    "symbols": "List the declarations of a program.",
    "compile": "Compile a program to bytecode.",
    "inspect": "Show the bytecode of a program or module.",
    "size": "Show the size of a program's bytecode.",
    "caps": "Show the capabilities that a program's functions need.",
    "run": "Run a program.",
    "exec": "Run programs that wait for answers.",
    "trace": "List the executed instructions of a program.",
    "replay": "Run a program against a recorded event log.",
    "repl": "Evaluate expressions and definitions interactively.",
    "app": "Check applications and send them messages.",
    "preview": "Show an application as a page that updates at every edit.",
    "new": "Create an application from a template.",
    "template": "List templates of applications and apply them.",
    "capabilities": "List the capabilities that programs can request.",
    "workflow": "Check and run workflows, decide at gates.",
    "evidence": "Create, verify and show evidence of runs.",
    "simulate": "Run a workflow many times and check predicates.",
    "worker": "Run workflows of a database that several machines share.",
    "policy": "Check or show a policy document.",
    "trust": "Allow or revoke live effects of programs.",
    "mcp-servers": "List and allow MCP servers, call their tools.",
    "explain": "Explain a diagnostic code.",
    "codes": "List the diagnostic codes.",
    "doc": "Show the content of a built-in library.",
    "stdlib": "Check libraries and run their tests.",
    "setup": "Configure an editor, an agent or a shell.",
    "doctor": "Find problems of this installation.",
    "stats": "Show what the query database computed and reused.",
    "dap": "Serve a debugger on standard input and output.",
    "lsp": "Serve an editor on standard input and output.",
    "mcp": "Serve an agent on standard input and output.",
    "serve": "Serve agents over HTTP.",
    "daemon": "Inspect or end the process that serves editors and agents.",
}


class _Commands(click.Group):
    """Knows the names and summaries of the sub-commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"boruna_ls.cli.{cmd_name.replace('-', '_')}").command
        gc.freeze()
        gc.enable()
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            import difflib

            close = difflib.get_close_matches(name, COMMANDS, n=1)
            ctx.fail(f"no such command '{name}'" + (f": did you mean '{close[0]}'?" if close else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="boruna-ls", message="%(prog)s %(version)s")
@click.option("--env", help="Use a separate part of the data folder for workflows.")
@click.pass_context
def commands(ctx: click.Context, env: str | None) -> None:
    """Analysis of .ax programs, for people, editors (LSP) and agents (MCP)."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(USAGE)


def main() -> int:
    """`boruna-ls COMMAND …`; returns the exit status."""
    return _guarded("boruna-ls", sys.argv[1:])


def _with_help_option(arguments: list[str]) -> list[str]:
    """`help COMMAND` is another way to write `COMMAND --help`."""
    return [*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments


def _guarded(name: str, arguments: list[str]) -> int:
    """Runs a command line and returns its exit status, whatever happens in it."""
    # A stream that the caller has closed is None; its output is discarded.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A file name or a text can hold what the terminal's encoding lacks.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        if "_BORUNA_LS_COMPLETE" in os.environ:
            from boruna_ls.cli.shells import answered

            return answered(os.environ["_BORUNA_LS_COMPLETE"])
        # Not `commands.main`, which would hide from us that a pipe is broken.
        with commands.make_context(name, _with_help_option(arguments)) as context:
            status = commands.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe; buffered output must not be written again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        _complain(str(error))
        return FAILED
    except Exception as error:
        if os.environ.get("BORUNA_TRACEBACK"):
            raise
        kind = type(error).__name__
        _complain(f"internal error ({kind}: {error}); BORUNA_TRACEBACK=1 shows where")
        return FAILED
    return status if isinstance(status, int) else 0


def _complain(message: str) -> None:
    # Most command lines never need it.
    from boruna_ls.cli.output import complain

    complain(message)
