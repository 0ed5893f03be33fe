"""The Debug Adapter Protocol over a debuggee: requests in, responses and events out, as the models of `dap_types`."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, Final

import dap_types as protocol
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from boruna_ls.dap.debuggee import Breakpoint, CannotDebug, Debuggee, Going
from boruna_ls.dap.evaluation import CannotEvaluate
from boruna_ls.dap.places import Place
from boruna_ls.dap.values import Shown
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.timeline import Reached
from boruna_ls.runtime.values import Value

THREAD: Final = 1
_FRAMES: Final = 1000
"""Frames of one answer at most; the client asks for the rest."""
_PARTS: Final = 1000
_OUTPUT: Final = 20_000
"""Characters of a value that are written as output."""

Message = dict[str, Any]
Body = Any
"""A model of `dap_types`, which validates what it is made of; None for a response or an event without a body."""


class LaunchArguments(BaseModel):
    """Arguments of a launch configuration. There are no live effects: a configuration may come with a repository."""

    model_config = ConfigDict(extra="ignore")
    program: str = Field(max_length=4096)
    function: str = Field("main", max_length=200)
    inputs: dict[str, str] = Field(default_factory=dict, max_length=100)
    stopOnEntry: bool = False
    stopAtEnd: bool = False
    noDebug: bool | None = None
    maxSteps: int = Field(DEFAULT_MAX_STEPS, ge=1, le=1_000_000_000)


class Refused(Exception):
    """A request that cannot be done, with the reason for the user."""


class Adapter:
    """One debug session. `send` takes messages; `handle` is called with one request after the other."""

    def __init__(self, send: Callable[[Message], None], waiting: Callable[[], bool], libs_dir: str | None = None) -> None:
        """`waiting` tells whether further requests have come: a run that goes on stops for them."""
        self._send = send
        self._waiting = waiting
        self._libs_dir = libs_dir
        self._sequence = 0
        self._lines_from = 1
        self._columns_from = 1
        self._launch: LaunchArguments | None = None
        self._debuggee: Debuggee | None = None
        self._going: tuple[str, Going] | None = None
        """The request that made the run go on, and how; None while it stands."""
        self._stops_at_errors = True
        self._by_source: dict[str, list[tuple[int, int]]] = {}
        self._by_function: list[tuple[int, int]] = []
        self._references: list[tuple[str, Value | int]] = []
        """Objects by `variablesReference`, valid while the run is stopped: ("value", v), ("locals", frame), ("run", 0)."""
        self.is_over = False

    # ---- messages -----------------------------------------------------------------------------------------------

    def handle(self, request: Message) -> None:
        """Answers one request; what is wrong with it is an answer, too."""
        command = request.get("command")
        method = getattr(self, f"_on_{command}", None) if isinstance(command, str) and command.isalnum() else None
        arguments = request.get("arguments") or {}
        try:
            if method is None:
                raise Refused(f"the debugger does not know the request {command!r}")
            body = method(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            self._respond(request, error=f"argument `{place}`: {first['msg']}")
        except (Refused, CannotDebug, CannotEvaluate) as error:
            self._respond(request, error=str(error))
        else:
            self._respond(request, body)
            self._after(str(command))

    def _respond(self, request: Message, body: Body = None, error: str = "") -> None:
        message: Message = {"type": "response", "request_seq": request.get("seq", 0), "command": request.get("command", "")}
        message |= {"success": not error}
        if error:
            shown = {"id": 1, "format": error.replace("{", "(").replace("}", ")"), "showUser": True}
            message |= {"message": error, "body": {"error": shown}}
        else:
            # Some clients want a body, if an empty one.
            message["body"] = {} if body is None else body.model_dump(mode="json", by_alias=True, exclude_none=True)
        self._write(message)

    def _event(self, name: str, body: Body = None) -> None:
        message: Message = {"type": "event", "event": name}
        if body is not None:
            message["body"] = body.model_dump(mode="json", by_alias=True, exclude_none=True)
        self._write(message)

    def _write(self, message: Message) -> None:
        self._sequence += 1
        self._send({"seq": self._sequence, **message})

    def _tell(self, category: str, text: str) -> None:
        self._event("output", protocol.OutputEventBody(category=category, output=text))

    # ---- the session --------------------------------------------------------------------------------------------

    def _on_initialize(self, arguments: Message) -> Body:
        request = protocol.InitializeRequestArguments.model_validate(arguments)
        self._lines_from = 0 if request.linesStartAt1 is False else 1
        self._columns_from = 0 if request.columnsStartAt1 is False else 1
        errors = protocol.ExceptionBreakpointsFilter(
            filter="errors", label="Run-time errors", description="Stop where a run fails", default=True
        )
        return protocol.Capabilities(
            supportsConfigurationDoneRequest=True,
            supportsFunctionBreakpoints=True,
            supportsConditionalBreakpoints=True,
            supportsHitConditionalBreakpoints=True,
            supportsEvaluateForHovers=True,
            supportsStepBack=True,
            supportsRestartFrame=True,
            supportsRestartRequest=True,
            supportsExceptionInfoRequest=True,
            supportsLogPoints=True,
            supportsTerminateRequest=True,
            supportsBreakpointLocationsRequest=True,
            supportsDelayedStackTraceLoading=True,
            exceptionBreakpointFilters=[errors],
        )

    def _on_launch(self, arguments: Message) -> None:
        self._launch = LaunchArguments.model_validate(arguments)
        self._begin()

    def _on_attach(self, arguments: Message) -> None:
        raise Refused("attaching to a run is not supported: use a configuration with `request: launch` and `program`")

    def _begin(self) -> None:
        assert self._launch is not None
        chosen = self._launch
        self._debuggee = Debuggee(
            chosen.program, chosen.function, chosen.inputs, chosen.maxSteps, self._libs_dir, self._tell, self._waiting
        )

    def _on_configurationDone(self, arguments: Message) -> None:
        self._running()

    def _on_restart(self, arguments: Message) -> None:
        debuggee = self._running()
        kept = debuggee.breakpoints
        self._begin()
        again = self._running()
        # The text may be another one now: what still names a statement stays.
        again.breakpoints = {at: Breakpoint(point.condition, point.hit_condition, point.log) for at, point in kept.items()}

    def _on_disconnect(self, arguments: Message) -> None:
        self.is_over = True

    def _on_terminate(self, arguments: Message) -> None:
        self._going = None
        self._event("terminated")

    def _running(self) -> Debuggee:
        if self._debuggee is None:
            raise Refused("nothing is being debugged: send `launch` first")
        return self._debuggee

    def _after(self, command: str) -> None:
        """Continue after the response to a request."""
        if command == "launch":
            self._event("initialized")
        elif command in ("configurationDone", "restart"):
            self._start()
        elif command in _STEPS:
            self._going = command, _STEPS[command](self._running())
        elif command == "pause" and self._going is not None:
            self._going = None
            self._stop("pause")
        elif command == "restartFrame":
            self._stop("restart")

    def _start(self) -> None:
        debuggee, launch = self._running(), self._launch
        assert launch is not None
        self._event("thread", protocol.ThreadEventBody(reason="started", threadId=THREAD))
        if launch.noDebug:
            debuggee.breakpoints.clear()
        reached = debuggee.to_first()
        if launch.stopOnEntry and not launch.noDebug and reached is Reached.PLACE:
            self._stop("entry")
            return
        at = debuggee.machine.frames[-1] if debuggee.machine.frames else None
        if at is not None and (at.function, at.ip) in debuggee.breakpoints and reached is Reached.PLACE:
            self._stop("breakpoint")
            return
        self._going = "continue", debuggee.go_on()

    def turn(self) -> bool:
        """Lets a run that goes on go on; False if none does."""
        if self._going is None or self._debuggee is None or self.is_over:
            return False
        (command, going), debuggee = self._going, self._debuggee
        reached = going()
        if reached is Reached.INTERRUPTED:
            return True
        self._going = None
        if reached is Reached.END:
            self._end()
        elif reached is Reached.ERROR:
            self._fail()
        else:
            at = debuggee.machine.frames[-1]
            at_breakpoint = (at.function, at.ip) in debuggee.breakpoints and reached is not Reached.START
            stepped = command not in ("continue", "reverseContinue")
            self._stop("breakpoint" if at_breakpoint else "step" if stepped else "entry")
        return True

    def _stop(self, reason: str, text: str | None = None) -> None:
        self._references.clear()
        self._event("stopped", protocol.StoppedEventBody(reason=reason, threadId=THREAD, allThreadsStopped=True, text=text))

    def _end(self) -> None:
        debuggee, launch = self._running(), self._launch
        assert launch is not None
        result = display(debuggee.machine.result)[:_OUTPUT]
        self._tell("stdout", f"{result}\n")
        self._tell("console", f"{debuggee.run.now} steps; effects were mocked\n")
        if launch.stopAtEnd and not launch.noDebug:
            debuggee.run.seek(debuggee.run.now - 1)
            self._stop("end")
            return
        self._exit(0)

    def _fail(self) -> None:
        debuggee, launch = self._running(), self._launch
        assert launch is not None
        error = str(debuggee.run.error)
        self._tell("stderr", f"runtime error: {error}\n")
        if self._stops_at_errors and not launch.noDebug and debuggee.machine.frames:
            self._stop("exception", error)
            return
        self._exit(1)

    def _exit(self, code: int) -> None:
        self._event("exited", protocol.ExitedEventBody(exitCode=code))
        self._event("terminated")

    # ---- going --------------------------------------------------------------------------------------------------

    def _standing(self) -> Debuggee:
        debuggee = self._running()
        if self._going is not None:
            raise Refused("the program is running: pause it first")
        return debuggee

    def _on_continue(self, arguments: Message) -> Body:
        self._standing()
        return protocol.ContinueResponseBody(allThreadsContinued=True)

    def _go(self, arguments: Message) -> None:
        self._standing()

    _on_next = _on_stepIn = _on_stepOut = _on_stepBack = _on_reverseContinue = _go

    def _on_pause(self, arguments: Message) -> None:
        self._running()

    def _on_restartFrame(self, arguments: Message) -> None:
        wanted = protocol.RestartFrameArguments.model_validate(arguments)
        debuggee = self._standing()
        debuggee.restart_frame(self._frame(wanted.frameId))

    # ---- breakpoints --------------------------------------------------------------------------------------------

    def _on_setBreakpoints(self, arguments: Message) -> Body:
        wanted = protocol.SetBreakpointsArguments.model_validate(arguments)
        debuggee, path = self._running(), wanted.source.path or ""
        for at in self._by_source.pop(path, []):
            debuggee.breakpoints.pop(at, None)
        kept = self._by_source[path] = []
        answers = []
        for requested in wanted.breakpoints or []:
            point = Breakpoint(requested.condition or "", requested.hitCondition or "", requested.logMessage or "")
            place = debuggee.places.breakable(path, requested.line - self._lines_from + 1)
            if point.defect or place is None:
                message = point.defect or "there is no statement here or below"
                answers.append(protocol.Breakpoint(verified=False, line=requested.line, message=message))
                continue
            line, places = place
            for at in places:
                debuggee.breakpoints[at] = point
                kept.append(at)
            answers.append(protocol.Breakpoint(verified=True, line=line - 1 + self._lines_from, source=wanted.source))
        return protocol.SetBreakpointsResponseBody(breakpoints=answers)

    def _on_setFunctionBreakpoints(self, arguments: Message) -> Body:
        wanted = protocol.SetFunctionBreakpointsArguments.model_validate(arguments)
        debuggee = self._running()
        for at in self._by_function:
            debuggee.breakpoints.pop(at, None)
        self._by_function = []
        answers = []
        for requested in wanted.breakpoints:
            numbers = [number for number, code in enumerate(debuggee.module.functions) if code.name == requested.name]
            point = Breakpoint(requested.condition or "", requested.hitCondition or "")
            places = [at for number in numbers for at in debuggee.places.begins(number)]
            if point.defect or not places:
                message = point.defect or f"the program has no function `{requested.name}`"
                answers.append(protocol.Breakpoint(verified=False, message=message))
                continue
            debuggee.breakpoints |= dict.fromkeys(places, point)
            self._by_function += places
            answers.append(protocol.Breakpoint(verified=True))
        return protocol.SetFunctionBreakpointsResponseBody(breakpoints=answers)

    def _on_setExceptionBreakpoints(self, arguments: Message) -> None:
        wanted = protocol.SetExceptionBreakpointsArguments.model_validate(arguments)
        self._stops_at_errors = "errors" in wanted.filters

    def _on_breakpointLocations(self, arguments: Message) -> Body:
        wanted = protocol.BreakpointLocationsArguments.model_validate(arguments)
        first = wanted.line - self._lines_from + 1
        last = first if wanted.endLine is None else wanted.endLine - self._lines_from + 1
        lines = self._running().places.lines(wanted.source.path or "", first, last)
        breakpoint_locations = [protocol.BreakpointLocation(line=line - 1 + self._lines_from) for line in lines]
        return protocol.BreakpointLocationsResponseBody(breakpoints=breakpoint_locations)

    # ---- looking ------------------------------------------------------------------------------------------------

    def _on_threads(self, arguments: Message) -> Body:
        return protocol.ThreadsResponseBody(threads=[protocol.Thread(id=THREAD, name="main")])

    def _on_stackTrace(self, arguments: Message) -> Body:
        wanted = protocol.StackTraceArguments.model_validate(arguments)
        debuggee = self._standing()
        total = len(debuggee.machine.frames)
        first = max(wanted.startFrame or 0, 0)
        count = min(wanted.levels or _FRAMES, _FRAMES)
        frames = [self._stack_frame(debuggee, total - 1 - index) for index in range(first, min(first + count, total))]
        return protocol.StackTraceResponseBody(stackFrames=frames, totalFrames=total)

    def _stack_frame(self, debuggee: Debuggee, number: int) -> protocol.StackFrame:
        name = debuggee.machine.frames[number].code.name
        place = debuggee.place(number)
        line, column = (0, 0) if place is None else (place.line - 1 + self._lines_from, place.column - 1 + self._columns_from)
        source = None if place is None else _source(place)
        return protocol.StackFrame(id=number + 1, name=name, line=line, column=column, source=source, canRestart=True)

    def _frame(self, frame_id: int | None) -> int:
        debuggee = self._standing()
        total = len(debuggee.machine.frames)
        number = total - 1 if frame_id is None else frame_id - 1
        if not 0 <= number < total:
            raise Refused("this frame no longer exists: the run has continued")
        return number

    def _on_scopes(self, arguments: Message) -> Body:
        wanted = protocol.ScopesArguments.model_validate(arguments)
        frame = self._frame(wanted.frameId)
        scopes = [
            protocol.Scope(
                name="Locals", presentationHint="locals", variablesReference=self._refer("locals", frame), expensive=False
            ),
            protocol.Scope(name="Run", variablesReference=self._refer("run", 0), expensive=False),
        ]
        return protocol.ScopesResponseBody(scopes=scopes)

    def _refer(self, kind: str, what: Value) -> int:
        self._references.append((kind, what))
        return len(self._references)

    def _on_variables(self, arguments: Message) -> Body:
        wanted = protocol.VariablesArguments.model_validate(arguments)
        debuggee = self._standing()
        if not 1 <= wanted.variablesReference <= len(self._references):
            raise Refused("these variables no longer exist: the run has continued")
        kind, what = self._references[wanted.variablesReference - 1]
        if kind == "locals":
            rows = [debuggee.values.shown(name, value) for name, value in debuggee.variables(int(what)).items()]
        elif kind == "run":
            rows = [
                debuggee.values.shown("steps", debuggee.run.now),
                debuggee.values.shown("emitted", (-1, debuggee.machine.ui_output, len(debuggee.machine.ui_output))),
            ]
        else:
            rows = debuggee.values.parts(what, max(wanted.start or 0, 0), min(wanted.count or _PARTS, _PARTS))
        return protocol.VariablesResponseBody(variables=[self._variable(row) for row in rows])

    def _variable(self, row: Shown) -> protocol.Variable:
        return protocol.Variable(name=row.name, value=row.text, type=row.type, **self._opening(row))

    def _opening(self, row: Shown) -> dict[str, Any]:
        """Fields by which a client requests the parts of a value."""
        if not row.parts:
            return {"variablesReference": 0}
        count = {"indexedVariables" if row.is_indexed else "namedVariables": row.parts}
        return {"variablesReference": self._refer("value", row.value), **count}

    def _on_evaluate(self, arguments: Message) -> Body:
        wanted = protocol.EvaluateArguments.model_validate(arguments)
        debuggee = self._standing()
        frame = self._frame(wanted.frameId) if debuggee.machine.frames else 0
        row = debuggee.values.shown("", debuggee.evaluated(wanted.expression, frame))
        return protocol.EvaluateResponseBody(result=row.text, type=row.type, **self._opening(row))

    def _on_exceptionInfo(self, arguments: Message) -> Body:
        error = self._standing().run.error
        if error is None:
            raise Refused("the run has not failed")
        mode = protocol.ExceptionBreakMode.model_validate("unhandled")
        return protocol.ExceptionInfoResponseBody(exceptionId=error.kind, description=str(error), breakMode=mode)


_STEPS: Final[dict[str, Callable[[Debuggee], Going]]] = {
    "continue": Debuggee.go_on,
    "next": Debuggee.step_over,
    "stepIn": Debuggee.step_in,
    "stepOut": Debuggee.step_out,
    "stepBack": Debuggee.step_back,
    "reverseContinue": Debuggee.go_back,
}


def _source(place: Place) -> protocol.Source:
    return protocol.Source(name=place.path.rsplit("/", 1)[-1], path=place.path)


def serve(messages: queue.SimpleQueue[Message | None], send: Callable[[Message], None], libs_dir: str | None) -> None:
    """One session, until the client disconnects or goes away (None)."""
    adapter = Adapter(send, lambda: not messages.empty(), libs_dir)
    while not adapter.is_over:
        if not messages.empty() or not adapter.turn():
            message = messages.get()
            if message is None:
                return
            adapter.handle(message)
