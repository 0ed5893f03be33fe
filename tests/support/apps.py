"""Applications as the framework runs them, in this process and without a server."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from boruna_ls.answers.app import CompiledApp, compiled_app
from boruna_ls.framework.job import SessionTask
from boruna_ls.framework.messages import message_of
from boruna_ls.framework.recording import RecordTask
from boruna_ls.framework.session import Plan
from boruna_ls.workspace import Host

COUNTER = """\
type State { count: Int }
type Msg { tag: String, payload: Int }
type Effect { kind: String, payload: String, callback_tag: String }
type UpdateResult { state: State, effects: List<Effect> }
fn init() -> State { State { count: 0 } }
fn update(state: State, msg: Msg) -> UpdateResult {
    let asked: List<Effect> = if msg.tag == "ask" { [Effect { kind: "timer", payload: "1", callback_tag: "tick" }] } else { [] }
    let step: Int = if msg.tag == "div" { 10 / msg.payload } else { if msg.tag == "ask" { 0 } else { msg.payload } }
    UpdateResult { state: State { count: state.count + step }, effects: asked }
}
fn view(state: State) -> String { "count " ++ __builtin_int_to_string(state.count) }
"""


def app_of(text: str) -> CompiledApp:
    """A text that compiles, as an application."""
    host = Host()
    made = compiled_app(host.db, host.inline(text))
    assert isinstance(made, CompiledApp), made
    return made


def played(text: str, messages: Iterable[Any], seconds: float = 60.0, **plan: Any) -> dict[str, Any]:
    """The outcome of a session."""
    app = app_of(text)
    made = Plan([message_of(message) for message in messages], app.message_type, until=time.time() + seconds, **plan)
    return SessionTask(app.module, made).perform(lambda content: None)


def recorded(text: str, messages: Iterable[Any], minimise: bool = True) -> dict[str, Any]:
    """The outcome of a recording."""
    app = app_of(text)
    sent = [message_of(message) for message in messages]
    return RecordTask(app.module, sent, app.message_type, "test_session", minimise, time.time() + 30).perform(
        lambda content: None
    )
