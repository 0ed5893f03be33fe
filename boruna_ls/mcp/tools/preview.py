"""`boruna_preview`: an application as a page, for clients that show MCP Apps; for others its state and what it draws, as data.

A preview stays with its client: the page names it and says what its user did. Nothing but the file is remembered outside of it.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import OrderedDict
from typing import Annotated, Any, Final

from pydantic import Field

from analysis.data_classes import dataclass
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.framework.messages import message_of
from boruna_ls.mcp.apps import PAGE
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments, JsonObject, Path, Source, refusal
from boruna_ls.mcp.paths import program_at
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.apps import WrittenMessage
from boruna_ls.preview.actions import Action, BadAction, Send, Wait, action_of
from boruna_ls.preview.following import followed
from boruna_ls.preview.session import Find, Preview, Viewer
from boruna_ls.workspace import FileUnavailable, Host

MOST: Final = 4
"""Previews of one client; the oldest is forgotten when another one begins."""
MOST_MESSAGES: Final = 1000
_LARGEST: Final = 600_000
"""Characters of what is drawn in an answer."""


class PreviewParams(Arguments):
    source: Source | None = Field(None, description="Text of the program; give this, `path` or `preview`")
    path: Path | None = Field(None, description="File to read, with unsaved changes in an editor")
    file_name: Path | None = Field(None, description="Name of the program on the page")
    messages: Annotated[list[WrittenMessage], FIRST_ERROR] | None = Field(
        None, max_length=MOST_MESSAGES, description='Sent first: "tag", "tag:payload" or {"tag", "payload"}'
    )
    preview: str | None = Field(None, max_length=64, description="An existing preview, instead of a program")
    action: JsonObject | None = Field(
        None,
        description='Action in the preview: {"do": "send", "tag": …}, "answer", "go", "restart", "replay", "look", "wait"',
    )


@dataclass(slots=True)
class _Kept:
    preview: Preview
    viewer: Viewer
    find: Find


async def run(call: Call[PreviewParams]) -> dict[str, Any]:
    arguments = call.arguments
    kept_all: OrderedDict[str, _Kept] = call.memory.setdefault("previews", OrderedDict())
    name = arguments.preview or secrets.token_hex(8)
    if arguments.preview is None:
        kept = _begun(call, name)
        # What cannot be had at all is refused; what goes wrong later is for the page to show.
        await call.analyse(lambda at: _locate(kept, at.host))
        kept_all[name] = kept
        if len(kept_all) > MOST:
            kept_all.popitem(last=False)
        await kept.preview.refresh()
    elif name not in kept_all:
        raise refusal("preview", "the preview of argument `preview` no longer exists: give the program again")
    else:
        kept = kept_all[name]
        kept_all.move_to_end(name)
        await kept.preview.refresh()
    if arguments.messages:
        for message in map(message_of, arguments.messages):
            has_payload = not isinstance(message.written, str) or ":" in message.written
            given = {"payload": message.payload} if has_payload else {}
            await kept.preview.act(Send.model_validate({"do": "send", "tag": message.tag} | given))
    action = None if arguments.action is None else _action(arguments.action)
    if isinstance(action, Wait):
        # The page of another call may run a message meanwhile: the end of this one does not stop it.
        async with followed(kept.preview, stops=False):
            await kept.preview.act(action)
        answer = success(preview=name, update={"version": kept.preview.version})
    else:
        if action is not None:
            await kept.preview.act(action)
        answer = success(preview=name, update=_update(kept))

    def described(at: Call[PreviewParams]) -> dict[str, Any]:
        try:
            return with_freshness(answer, at.host, kept.find(at.host))
        except FileUnavailable:
            # It no longer exists; the page says so.
            return answer

    return await call.analyse(described)


def _action(written: dict[str, Any]) -> Action:
    try:
        return action_of(written)
    except BadAction as error:
        raise refusal("action", f"argument `action` {error}") from None


def _begun(call: Call[PreviewParams], name: str) -> _Kept:
    arguments, client = call.arguments, call.client
    source, path = arguments.source, arguments.path
    if (source is None) == (path is None):
        raise refusal("source", "argument `source` is missing: give the text of a program, or `path` (a file), or `preview`")

    def find(host: Host) -> Any:
        if path is not None:
            return program_at(host, client, path)[1]
        place = "" if client.confined else arguments.file_name or ""
        return host.inline(source or "", f"preview {name}", client.id, path=place, libs=client.libs)

    preview = Preview(call.host, find, os.path.basename(arguments.file_name or path or "app.ax"), client.id)
    return _Kept(preview, Viewer(preview), find)


def _locate(kept: _Kept, host: Host) -> None:
    try:
        kept.find(host)
    except FileUnavailable as error:
        raise refusal("path", f"argument `path`: {error}") from None


def _update(kept: _Kept) -> dict[str, Any]:
    text = kept.viewer.update()
    update: dict[str, Any] = json.loads(text)
    if len(text) > _LARGEST:
        outline = (update.get("shown") or {}).get("outline") or {}
        update["shown"] = {"outline": {"name": "state", "text": outline.get("text", "")}}
        update["note"] = "the view is too large for an answer: boruna-ls preview shows it"
    return update


TOOL: Final = Tool(
    name="boruna_preview",
    title="Preview an application",
    description=(
        "Shows an .ax application as a page if the client supports it (an MCP App): its view drawn, messages as buttons, state, "
        "effects, a time line. `update` has the same as data: `shown.view` as nodes, `shown.outline`, `step`. It follows edits "
        "of the file and keeps its state."
    ),
    arguments=PreviewParams,
    answer_fields={
        "preview": TEXT,
        "update": {
            "type": "object",
            "description": 'shown, step, messages, problems, failure, note; after "wait" only the version to be shown',
        },
    },
    run=run,
    example={"path": "app.ax", "messages": ["inc", "set:5"]},
    page=PAGE,
)
