"""One process, an editor and an agent: `make demo`.

Connects a language client and the official MCP client to one daemon, as editors and agents do, breaks a program in the
editor without saving, compares what both are told, mends it with the editor's quick fixes, and compares again.
Prints what happens; the exit status is 0 only if every comparison held.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from mcp import Client, StdioServerParameters
from pygls.lsp.client import LanguageClient
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

WORKSPACE = Path(__file__).resolve().parent / "workspace"
PROGRAM = WORKSPACE / "orders.ax"
COMMAND = [sys.executable, "-c", "import sys; from boruna_ls.cli.main import main; sys.exit(main())"]
MISTAKES = [
    ("    title ++ ", "    titel ++ ", "a name is misspelt"),
    ('        Cancelled => "was cancelled",\n', "", "an arm of a match is deleted"),
    ("count: count, price: price }", "cuont: count, price: price }", "a field is misspelt"),
]
"""Text, what the person at the editor makes of it, and what that is."""
PATIENCE = 60.0

Place = tuple[int, int, int, int]
Diagnostic = tuple[str, str, Place, str]
"""Code, severity, range (from 0, code points), message with what to do."""
SEVERITIES = {1: "error", 2: "warning", 3: "info", 4: "hint"}


class Editor:
    """An editor with one file open; its text is not what the disk has."""

    def __init__(self, client: LanguageClient) -> None:
        self._client = client
        self._published: dict[int, list[lsp.Diagnostic]] = {}
        self._news = asyncio.Event()
        self._version = 0
        self.text = ""
        self.uri = PROGRAM.as_uri()
        client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._receive))

    def _receive(self, params: lsp.PublishDiagnosticsParams) -> None:
        if params.uri == self.uri and params.version is not None:
            self._published[params.version] = list(params.diagnostics)
            self._news.set()

    async def start(self) -> None:
        """The handshake; columns in code points, as the agent's `column` counts."""
        general = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf32])
        folders = [lsp.WorkspaceFolder(uri=WORKSPACE.as_uri(), name="demo")]
        params = lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(general=general),
            workspace_folders=folders,
            process_id=None,
            # Warnings about what is just being typed wait for a pause; here nobody types on.
            initialization_options={"diagnostics": {"pause": 0}},
        )
        await self._client.initialize_async(params)
        self._client.initialized(lsp.InitializedParams())

    async def open(self) -> list[lsp.Diagnostic]:
        """Opens the program."""
        self.text = PROGRAM.read_text(encoding="utf-8")
        document = lsp.TextDocumentItem(uri=self.uri, language_id="ax", version=0, text=self.text)
        self._client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=document))
        return await self.diagnostics()

    async def change(self, edits: Sequence[tuple[lsp.Range, str]]) -> list[lsp.Diagnostic]:
        """Edits the buffer, the last place first; the diagnostics of the new text."""
        self._version += 1
        changes: list[lsp.TextDocumentContentChangeEvent] = []
        for place, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
            start, end = self.offset(place.start), self.offset(place.end)
            self.text = self.text[:start] + new + self.text[end:]
            changes.append(lsp.TextDocumentContentChangePartial(range=place, text=new))
        document = lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self._version)
        params = lsp.DidChangeTextDocumentParams(text_document=document, content_changes=changes)
        self._client.text_document_did_change(params)
        return await self.diagnostics()

    async def diagnostics(self) -> list[lsp.Diagnostic]:
        """Diagnostics that the server has published about the present text."""
        async with asyncio.timeout(PATIENCE):
            while self._version not in self._published:
                self._news.clear()
                await self._news.wait()
        return self._published[self._version]

    async def quick_fix(self, diagnostic: lsp.Diagnostic) -> tuple[str, list[tuple[lsp.Range, str]]] | None:
        """Title and edits of the fix that the editor would offer first."""
        context = lsp.CodeActionContext(diagnostics=[diagnostic], only=[lsp.CodeActionKind.QuickFix])
        document = lsp.TextDocumentIdentifier(uri=self.uri)
        params = lsp.CodeActionParams(text_document=document, range=diagnostic.range, context=context)
        offered = await self._client.text_document_code_action_async(params) or []
        actions = [action for action in offered if isinstance(action, lsp.CodeAction)]
        actions.sort(key=lambda action: not action.is_preferred)
        if not actions:
            return None
        action = actions[0]
        if action.edit is None:
            action = await self._client.code_action_resolve_async(action)
        return action.title, self._edits(action.edit)

    def _edits(self, edit: lsp.WorkspaceEdit | None) -> list[tuple[lsp.Range, str]]:
        if edit is None:
            return []
        found: list[Any] = list((edit.changes or {}).get(self.uri, []))
        for change in edit.document_changes or []:
            if isinstance(change, lsp.TextDocumentEdit) and change.text_document.uri == self.uri:
                found += change.edits
        return [(one.range, one.new_text) for one in found]

    def range_of(self, old: str) -> lsp.Range:
        """Range of a text."""
        start = self.text.index(old)
        return lsp.Range(self._position(start), self._position(start + len(old)))

    def offset(self, position: lsp.Position) -> int:
        """The offset of a position."""
        lines = self.text.split("\n")
        return sum(len(line) + 1 for line in lines[: position.line]) + position.character

    def _position(self, offset: int) -> lsp.Position:
        before = self.text[:offset]
        return lsp.Position(before.count("\n"), offset - (before.rfind("\n") + 1))


def seen_by_editor(diagnostics: Sequence[lsp.Diagnostic]) -> list[Diagnostic]:
    """The editor's diagnostics in the form in which both sides are compared."""
    return [
        (
            str(one.code),
            SEVERITIES[one.severity or 1],
            (one.range.start.line, one.range.start.character, one.range.end.line, one.range.end.character),
            one.message,
        )
        for one in diagnostics
    ]


def seen_by_agent(answer: dict[str, Any]) -> list[Diagnostic]:
    """The agent's diagnostics in the same form, without those that say `"shown": null`: editors have them in another one."""
    found = []
    # Of a syntax error `shown` has the message and place for people; its `message` is a recorded one.
    for one in [each | (each["shown"] or {}) if "shown" in each else each for each in answer["diagnostics"]]:
        if one.get("shown", one) is None:
            continue
        where = one["location"]
        place = (where["line"] - 1, where["column"], where["end_line"] - 1, where["end_column"])
        message = one["message"] + (f"\n{one['help']}" if "help" in one else "")
        found.append((one["id"], one["severity"], place, message))
    return found


class Demo:
    """The steps, and whether all comparisons held so far."""

    def __init__(self, console: Console, editor: Editor, agent: Client) -> None:
        self._console = console
        self._editor = editor
        self._agent = agent
        self._held = True

    async def run(self) -> bool:
        """All steps."""
        self._headline("The agent looks at the workspace; nobody has anything open")
        for program in sorted(WORKSPACE.glob("*.ax")):
            answer = await self._check(program)
            self._expect(f"{program.name}: {self._told(answer)}", not answer["diagnostics"])

        self._headline("The editor opens orders.ax")
        self._compare(await self._editor.open(), await self._check(PROGRAM), clean=True)

        self._headline("The person at the editor makes mistakes, and saves nothing")
        for old, new, what in MISTAKES:
            self._console.print(f"  {what}: [red]{old.strip()}[/] → [green]{new.strip() or '(nothing)'}[/]", highlight=False)
            diagnostics = await self._editor.change([(self._editor.range_of(old), new)])
        answer = await self._check(PROGRAM)
        self._compare(diagnostics, answer, clean=False)
        self._expect("the agent is told that the text is not saved", answer["freshness"]["unsaved"] is True)
        self._expect("the disk still has the old text", self._editor.text != PROGRAM.read_text(encoding="utf-8"))

        self._headline("The agent asks for a repair; nothing is written")
        repair = await self._call("boruna_repair", path=str(PROGRAM))
        self._console.print(Syntax(repair["diff"], "diff", background_color="default"))
        invented = [done for done in repair["applied"] if done.get("placeholder")]
        told = (
            f"repaired: {repair['patches_applied']} patches; the value of the new arm is invented, so nothing is called verified"
        )
        self._expect(told, len(invented) == 1 and not repair["verify_passed"])

        self._headline("The editor applies its quick fixes, one for each diagnostic")
        diagnostics = await self._mend(diagnostics)
        self._compare(diagnostics, await self._check(PROGRAM), clean=True)
        return self._held

    async def _mend(self, diagnostics: list[lsp.Diagnostic]) -> list[lsp.Diagnostic]:
        for _ in range(2 * len(MISTAKES)):
            # Hints are often mere consequences of a mistake: errors first, then warnings.
            serious = sorted((one for one in diagnostics if (one.severity or 1) <= 2), key=lambda one: one.severity or 1)
            fix = await self._editor.quick_fix(serious[0]) if serious else None
            if fix is None:
                break
            title, edits = fix
            self._console.print(f"  applied: [green]{title}[/]", highlight=False)
            diagnostics = await self._editor.change(edits)
        return diagnostics

    async def _check(self, path: Path) -> dict[str, Any]:
        return await self._call("boruna_check", path=str(path))

    async def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self._agent.call_tool(tool, arguments)
        assert isinstance(result.structured_content, dict), result
        return result.structured_content

    def _compare(self, diagnostics: Sequence[lsp.Diagnostic], answer: dict[str, Any], clean: bool) -> None:
        editor, agent = seen_by_editor(diagnostics), seen_by_agent(answer)
        if editor or agent:
            self._table(editor, agent)
        self._console.print(f"  the agent read: {self._told(answer)}", highlight=False)
        self._expect("editor and agent are told the same: code, severity, range, message", editor == agent)
        self._expect("no diagnostics" if clean else "each mistake is found", clean == (not editor))

    def _table(self, editor: list[Diagnostic], agent: list[Diagnostic]) -> None:
        table = Table("", "place", "code", "editor", "agent", show_lines=True)
        for one in sorted({*editor, *agent}, key=lambda diagnostic: diagnostic[2]):
            code, severity, (line, column, _, end), message = one
            shown = [message if one in side else "[red]missing[/]" for side in (editor, agent)]
            same = "[green]=[/]" if one in editor and one in agent else "[red]≠[/]"
            table.add_row(same, f"{line + 1}:{column + 1}–{end + 1}", f"{code} {severity}", *shown)
        self._console.print(table)

    def _told(self, answer: dict[str, Any]) -> str:
        fresh = answer["freshness"]
        saved = "unsaved" if fresh["unsaved"] else "as saved"
        return f"{fresh['source']}, {saved}, revision {fresh['revision']}, {len(seen_by_agent(answer))} diagnostics"

    def _headline(self, text: str) -> None:
        self._console.print()
        self._console.rule(text, align="left", style="cyan")

    def _expect(self, what: str, holds: bool) -> None:
        self._held = self._held and holds
        self._console.print(f"  {'[green]✔[/]' if holds else '[red]✘[/]'} {what}", highlight=False)


async def daemon_status(console: Console, environment: dict[str, str]) -> bool:
    """Shows what `boruna-ls daemon status` says while both are connected; whether it knows both."""
    console.print()
    console.rule("One process has served both: boruna-ls daemon status", align="left", style="cyan")
    asked = await asyncio.create_subprocess_exec(*COMMAND, "daemon", "status", env=environment, stdout=asyncio.subprocess.PIPE)
    output, _ = await asked.communicate()
    told = output.decode()
    console.print(textwrap.indent(told, "  "), highlight=False, markup=False, end="")
    return asked.returncode == 0 and "lsp " in told and "mcp " in told


async def main() -> int:
    """Starts everything, runs the steps, ends everything; the exit status."""
    console = Console()
    with tempfile.TemporaryDirectory(prefix="boruna-", ignore_cleanup_errors=True) as folder:
        # A daemon of its own, which ends as soon as both have left.
        environment = {**os.environ, "BORUNA_LS_DIR": folder, "BORUNA_LS_IDLE": "0"}
        client = LanguageClient("demo-editor", "1")
        await client.start_io(COMMAND[0], *COMMAND[1:], "lsp", env=environment)
        editor = Editor(client)
        await editor.start()
        parameters = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "mcp"], env=environment)
        async with Client(parameters) as agent:
            held = await Demo(console, editor, agent).run()
            held = await daemon_status(console, environment) and held
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]
    console.print()
    console.print("[green]all comparisons held[/]" if held else "[red]some comparisons did not hold[/]")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
