"""`boruna-ls repl`: expressions, variables and definitions, tried one after another (spec chapter 20 section 4.1)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Final

import click

from analysis.codegen.compile import Compiled, compile_file
from analysis.data_classes import dataclass, field, replace
from analysis.syntax.lexer import lex
from analysis.syntax.parser import parse
from analysis.syntax.tree import Assign, Block, Function, Import, Item, Let
from boruna_ls.cli.editors import disk_option
from boruna_ls.cli.libs import libs_option
from boruna_ls.cli.output import note, visible, write_debug
from boruna_ls.cli.programs import Session
from boruna_ls.cli.running import policy_from, shown_text, text_of
from boruna_ls.runtime.execute import mock_of
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.job import Job
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS, Options
from boruna_ls.runtime.policy import Policy
from boruna_ls.runtime.program import Program
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.runtime.values import Value, enum_type, is_enum, type_name
from boruna_ls.runtime.worker import MEMORY_LIMIT, limit_memory

_NAME: Final = "<repl>"
_FUNCTION: Final = "__repl_eval"
_PROMPT: Final = ">>> "
_MORE: Final = "... "
_ITEMS: Final = frozenset(("fn", "type", "enum", "import", "export", "module"))
_BRACKETS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_HELP: Final = """An expression is run and its value is shown. `let` and assignments are kept and run again before
each line. The definitions of `fn`, `type`, `enum` and `import` are also kept.

:load FILE     load the definitions of a file
:reload        read that file again
:reset         forget everything
:type EXPR     the type of an expression (:t)
:env           the functions that can be called
:help          this text (:h, :?)
:quit          end the session (:q, :exit)"""


@dataclass(slots=True)
class _State:
    """Persistent input of the session: the text of a file, definitions by what they define, statements in order."""

    session: Session
    policy: Policy
    max_steps: int
    path: str = ""
    loaded: str = ""
    items: dict[str, str] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)

    def compiled(self, line: str = "") -> Compiled:
        """A program that ends with a line."""
        body = "\n".join([*self.statements, line])
        program = "\n".join([self.loaded, *self.items.values(), f"fn {_FUNCTION}() {{\n{body}\n}}\n"])
        # What is loaded imports what it does where it lies.
        place = os.path.join(os.path.dirname(os.path.abspath(self.path)) if self.path else os.getcwd(), _NAME)
        file = self.session.inline(program, _NAME, place, _NAME)
        return compile_file(self.session.host.db, file, "repl")

    def run(self, line: str) -> tuple[Value, Program] | None:
        """The value of a line and the program that made it; None after saying why there is none."""
        outcome = self.compiled(line)
        module = outcome.module
        if module is None:
            self.tell(outcome)
            return None
        entry = max(index for index, function in enumerate(module.functions) if function.name == _FUNCTION)
        job = Job(b"", policy=self.policy)
        options = Options(max_steps=self.max_steps, gateway=Gateway(self.policy, mock_of(job)), debug=write_debug)
        module = replace(module, entry=entry)
        run_outcome: RunOutcome = run_module(module, options)
        for value in run_outcome.ui_output:
            shown_text(f"ui: {display(value)}")
        if run_outcome.error is not None:
            note(f"error: runtime error: {run_outcome.error.message}")
            return None
        return run_outcome.value, Program.of(module)

    def tell(self, outcome: Compiled) -> None:
        """Show why a program does not compile: the first of its errors."""
        error = outcome.errors[0]
        note(f"error: {error.message}")
        if error.help:
            note(f"  help: {error.help}")


@click.command(short_help="Evaluate expressions and definitions interactively.")
@click.argument("path", type=click.Path(), required=False, metavar="[FILE]")
@click.option(
    "-p", "--policy", "policy_name", default="deny-all", metavar="TEXT", help="allow-all, deny-all (default), or a document."
)
@click.option("--max-steps", type=click.IntRange(min=0), default=DEFAULT_MAX_STEPS, show_default=True, help="Steps per line.")
@libs_option
@disk_option
def command(path: str | None, policy_name: str, max_steps: int) -> int:
    """Reads expressions, `let`, definitions and commands such as :help from standard input; FILE provides initial
    definitions.

    A line with an open bracket continues until the bracket is closed or a line is empty. Exit status 1 only if FILE
    cannot be used.
    """
    policy = policy_from(policy_name)
    if policy is None:
        return 1
    limit_memory(MEMORY_LIMIT * 5 // 4)
    state = _State(Session(), policy, max_steps)
    if path is not None and not _load(state, path):
        return 1
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        import readline  # noqa: F401  (arrows and history)

        print("boruna-ls repl; :help lists the commands")
    for text in _inputs(is_terminal):
        if text.startswith(":"):
            if not _command(state, text):
                break
        elif text:
            try:
                _entered(state, text)
            except KeyboardInterrupt:
                note("interrupted")
    return 0


def _inputs(is_terminal: bool) -> Iterator[str]:
    """Inputs without surrounding blanks, lines with open brackets joined."""
    text = ""
    while True:
        try:
            line = input((_MORE if text else _PROMPT) if is_terminal else "")
            text += line
        except EOFError:
            if text.strip():
                yield text.strip()
            return
        except KeyboardInterrupt:
            print()
            text = ""
            continue
        if text.startswith(":") or not line.strip() or _is_whole(text):
            yield text.strip()
            text = ""
        else:
            text += "\n"


def _is_whole(text: str) -> bool:
    return sum(_BRACKETS.get(kind, 0) for kind in lex(text).kinds) <= 0


def _entered(state: _State, text: str) -> None:
    """Keeps a definition or a statement that works, shows the value of everything else."""
    tree = parse(text)
    if tree.tokens.kinds[0] in _ITEMS and tree.errors:
        return note(f"error: {tree.errors[0].message}")
    if tree.items and tree.is_sound:
        before = dict(state.items)
        for item in tree.items:
            state.items.pop(_key(item), None)
            state.items[_key(item)] = text[item.start : item.end]
        outcome = state.compiled()
        if outcome.module is None:
            state.tell(outcome)
            state.items = before
        return None
    result = state.run(text)
    if result is None:
        return None
    body = _body(text)
    last = body.statements[-1] if body is not None and body.statements else None
    if body is not None and any(isinstance(statement, Let | Assign) for statement in body.statements):
        state.statements.append(text)
    if not isinstance(last, Let | Assign):
        shown_text(display(result[0]))
    return None


def _key(item: Item) -> str:
    """Key of a definition: a later one with the same key replaces it."""
    return f"{'import' if isinstance(item, Import) else 'fn' if isinstance(item, Function) else 'type'} {item.name}"


def _body(text: str) -> Block | None:
    items = parse(f"fn {_FUNCTION}() {{\n{text}\n}}").items
    return items[0].body if items and isinstance(items[0], Function) else None


# ---- commands -------------------------------------------------------------------------------------------------------


def _command(state: _State, text: str) -> bool:
    """Does what a line with a colon says; whether to go on."""
    name, _, argument = text.partition(" ")
    if name in (":quit", ":q", ":exit"):
        return False
    action = _COMMANDS.get(name)
    if action is None:
        note(f"error: unknown meta-command `{name}` (try `:help`)")
    else:
        action(state, argument.strip())
    return True


def _load(state: _State, path: str) -> bool:
    text = text_of(path) if path else None
    if text is None:
        if not path:
            note("error: name a file: `:load FILE`")
        return False
    before = state.path, state.loaded
    state.path, state.loaded = path, text
    outcome = state.compiled()
    if outcome.module is None:
        state.tell(outcome)
        state.path, state.loaded = before
        return False
    print(f"loaded {visible(path)}")
    return True


def _reload(state: _State, _: str) -> None:
    if not state.path:
        return note("error: nothing is loaded: `:load FILE`")
    _load(state, state.path)
    return None


def _reset(state: _State, _: str) -> None:
    state.path = state.loaded = ""
    state.items.clear()
    state.statements.clear()


def _type(state: _State, argument: str) -> None:
    if not argument:
        return note("error: name an expression: `:type EXPR`")
    result = state.run(argument)
    if result is not None:
        value, program = result
        name = type_name(value)
        if type(value) is tuple and name in ("Record", "Enum"):
            name = program.type_name(enum_type(value[0]) if is_enum(value) else value[0])
        shown_text(f"{argument} : {name}")
    return None


def _environment(state: _State, _: str) -> None:
    outcome = state.compiled()
    if outcome.module is None:
        return state.tell(outcome)
    for name in dict.fromkeys(function.name for function in outcome.module.functions):
        if name != _FUNCTION:
            shown_text(name)
    return None


def _help(state: _State, _: str) -> None:
    print(_HELP)


_COMMANDS: Final[dict[str, Callable[[_State, str], object]]] = {
    ":load": _load,
    ":reload": _reload,
    ":reset": _reset,
    ":type": _type,
    ":t": _type,
    ":env": _environment,
    ":help": _help,
    ":h": _help,
    ":?": _help,
}
