"""Debugging a program through a real client: forward, backward, conditions, variables, failures, wrong requests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.debugger import Session, debugging

PROGRAM = """type Point { x: Int, y: Int }
enum Shape { Dot, Line(Int) }

fn scaled(p: Point, by: Int) -> Point {
    let x = p.x * by
    Point { x: x, y: p.y * by }
}

fn main() -> Int {
    let mut sum = 0
    let mut n = 0
    let shape = Shape::Line(4)
    let words = ["a", "b"]
    while n < 5 {
        let p = scaled(Point { x: n, y: 1 }, 2)
        sum = sum + p.x
        n = n + 1
    }
    emit sum
    sum
}

fn test_fails() -> Int {
    let xs = [1]
    list_get(xs, 3)
}

fn endless() -> Int {
    let mut n = 0
    while true {
        n = n + 1
    }
    n
}
"""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    program = tmp_path / "app.ax"
    program.write_text(PROGRAM, encoding="utf-8")
    with debugging(program) as started:
        yield started


def test_statement_by_statement(session: Session) -> None:
    session.launch(stopOnEntry=True)
    assert session.stopped() == ("entry", [("main", 10)])
    assert [session.go("next")[1][0][1] for _ in range(5)] == [11, 12, 13, 14, 15]
    assert session.go("stepIn") == ("step", [("scaled", 5), ("main", 15)])
    assert session.variables() == {"p": "Point { x: 0, y: 1 }", "by": "2"}
    assert session.variables(1) == {"sum": "0", "n": "0", "shape": "Shape::Line(4)", "words": '["a", "b"]'}
    assert session.go("stepOut") == ("step", [("main", 16)])
    assert session.go("stepBack") == ("step", [("main", 15)])
    assert session.go("stepBack") == ("step", [("main", 14)])
    assert session.go("next") == ("step", [("main", 15)])
    session.ask("continue", threadId=1)
    assert session.event("exited") == {"exitCode": 0}
    assert session.output("stdout") == "emit 20\n20\n"


def test_breakpoints_with_conditions_hits_and_logs(session: Session) -> None:
    session.launch(
        {"line": 6, "condition": "x == 6"}, {"line": 17, "hitCondition": "== 4"}, {"line": 16, "logMessage": "n is {n}"}
    )
    assert session.stopped() == ("breakpoint", [("scaled", 6), ("main", 15)])
    assert session.variables()["x"] == "6"
    assert session.go("continue") == ("breakpoint", [("main", 17)])
    assert session.variables()["n"] == "3"
    assert session.output("console") == "n is 0\nn is 1\nn is 2\nn is 3\n"
    assert session.go("reverseContinue") == ("breakpoint", [("scaled", 6), ("main", 15)])
    assert session.go("reverseContinue") == ("entry", [("main", 10)])
    assert session.go("continue")[1][0] == ("scaled", 6)
    assert session.output("console").count("n is") == 4


def test_breakpoints_move_to_statements(session: Session) -> None:
    session.launch(stopOnEntry=True)
    session.stopped()
    placed = session.break_at(9, 18, {"line": 16, "hitCondition": "often"}, 100)
    assert [one["verified"] for one in placed] == [True, True, False, False]
    assert [one["line"] for one in placed[:2]] == [10, 19]
    assert "is not a hit count" in placed[2]["message"]
    assert session.ask("breakpointLocations", source={"path": str(session.path)}, line=14, endLine=17)["breakpoints"] == [
        {"line": line} for line in (14, 15, 16, 17)
    ]
    found = session.ask("setFunctionBreakpoints", breakpoints=[{"name": "scaled"}, {"name": "scale"}])["breakpoints"]
    assert [one["verified"] for one in found] == [True, False]
    assert session.go("continue")[1][0] == ("scaled", 5)


def test_values_open_part_by_part(session: Session) -> None:
    session.launch(17)
    session.stopped()
    row = session.ask("evaluate", expression="[p, p]")
    assert (row["type"], row["indexedVariables"]) == ("List", 2)
    first = session.ask("variables", variablesReference=row["variablesReference"], start=0, count=1)["variables"]
    assert [(one["name"], one["value"]) for one in first] == [("0", "Point { x: 0, y: 2 }")]
    fields = session.ask("variables", variablesReference=first[0]["variablesReference"])["variables"]
    assert [(one["name"], one["value"], one["type"]) for one in fields] == [("x", "0", "Int"), ("y", "2", "Int")]
    assert session.ask("evaluate", expression="scaled(p, 10).y + list_len(words)")["result"] == "22"
    assert session.ask("evaluate", expression="Some(shape)")["result"] == "Some(Shape::Line(4))"
    refused = session.tried("evaluate", expression="q + 1")
    assert not refused["success"]
    assert "undefined variable: q" in refused["message"]
    assert not session.tried("evaluate", expression="list_get(words, 9)")["success"]
    assert session.variables()["n"] == "0"


def test_a_failure_stops_where_it_happens(session: Session) -> None:
    session.launch(function="test_fails")
    assert session.stopped() == ("exception", [("test_fails", 25)])
    assert session.variables() == {"xs": "[1]"}
    info = session.ask("exceptionInfo", threadId=1)
    assert "list index out of bounds" in info["description"]
    assert session.go("stepBack") == ("step", [("test_fails", 25)])
    assert session.go("stepBack") == ("step", [("test_fails", 24)])
    session.ask("setExceptionBreakpoints", filters=[])
    session.ask("continue", threadId=1)
    assert session.event("exited") == {"exitCode": 1}


def test_a_run_is_paused_and_goes_on(session: Session) -> None:
    session.launch(function="endless", maxSteps=1_000_000_000)
    time.sleep(0.3)
    session.ask("pause", threadId=1)
    reason, frames = session.stopped()
    assert (reason, frames[0][0]) == ("pause", "endless")
    assert int(session.variables()["n"]) > 100
    refused = session.tried("scopes", frameId=77)
    assert "this frame no longer exists" in refused["message"]


def test_frames_and_sessions_restart(session: Session) -> None:
    session.launch({"line": 6, "hitCondition": "3"})
    session.stopped()
    frames = session.ask("stackTrace", threadId=1)["stackFrames"]
    session.ask("restartFrame", frameId=frames[0]["id"])
    assert session.stopped() == ("restart", [("scaled", 5), ("main", 15)])
    assert session.variables()["p"] == "Point { x: 2, y: 1 }"
    session.ask("restart")
    assert session.stopped() == ("breakpoint", [("scaled", 6), ("main", 15)])


@pytest.mark.parametrize(
    ("request_name", "arguments", "expected"),
    [
        ("stackTrace", {"threadId": 1}, "send `launch` first"),
        ("launch", {}, "argument `program`"),
        ("launch", {"program": "nowhere.ax"}, "nowhere.ax"),
        ("launch", {"program": "app.ax", "function": "scaled"}, "no function `scaled` without parameters"),
        ("attach", {}, "request: launch"),
        ("fly", {}, "does not know the request 'fly'"),
        ("handle", {}, "does not know"),
    ],
)
def test_wrong_requests_are_answered(session: Session, request_name: str, arguments: dict[str, str], expected: str) -> None:
    if arguments.get("program") == "app.ax":
        arguments = arguments | {"program": str(session.path)}
    answer = session.tried(request_name, **arguments)
    assert not answer["success"]
    assert expected in answer["message"]
    session.launch(stopOnEntry=True)
    assert session.stopped() == ("entry", [("main", 10)])


def test_a_program_with_errors_says_which(session: Session) -> None:
    session.path.write_text("fn main() -> Int {\n    totl\n}\n", encoding="utf-8")
    answer = session.tried("launch", program=str(session.path))
    assert f"{session.path}:2: undefined variable: totl" in answer["message"]


def test_without_debugging_it_runs(session: Session) -> None:
    session.launch(5, noDebug=True)
    assert session.event("exited") == {"exitCode": 0}
    assert session.output("stdout") == "emit 20\n20\n"


def test_what_clients_send_beside_the_protocol(session: Session) -> None:
    """As nvim-dap does: its whole configuration, lines beside breakpoints, granularities, a context, a process to end."""
    configuration = {"type": "boruna", "request": "launch", "name": "Debug this program", "program": str(session.path)}
    session.ask("launch", **configuration)
    session.event("initialized")
    place = {"path": str(session.path), "name": "app.ax"}
    (made,) = session.ask("setBreakpoints", source=place, lines=[15], breakpoints=[{"line": 15, "buf": 1}])["breakpoints"]
    assert made["verified"] is True
    (errors,) = session.capabilities["exceptionBreakpointFilters"]
    session.ask("setExceptionBreakpoints", filters=[errors["filter"]])
    session.ask("configurationDone")
    assert session.stopped() == ("breakpoint", [("main", 15)])
    session.ask("next", threadId=1, granularity="statement")
    assert session.stopped() == ("step", [("main", 16)])
    frame = session.ask("stackTrace", threadId=1)["stackFrames"][0]
    assert session.ask("evaluate", expression="p.x + 1", context="repl", frameId=frame["id"])["result"] == "1"
    assert session.ask("threads")["threads"] == [{"id": 1, "name": "main"}]
    session.ask("disconnect", restart=False, terminateDebuggee=True)
    assert session.process.wait(10) == 0
