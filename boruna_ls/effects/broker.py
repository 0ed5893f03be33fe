"""The effect broker: every live capability call of every run comes through here and is checked, performed, logged, answered.

It has an event loop on a thread of its own, and a bounded pool of threads for handlers that block; the event loop of the
clients and the analysis thread never wait for an effect. A run is answered one call at a time, and can be stopped at any.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import inspect
import json
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from analysis.bytecode.axbc import constant_to_json
from analysis.bytecode.module import CAPABILITIES, Constant
from analysis.data_classes import replace
from boruna_ls import lock_order
from boruna_ls.effects.effect import Effect, Target
from boruna_ls.effects.grants import Grant
from boruna_ls.effects.table import HANDLERS, Handler
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.forms import TooLarge, from_tagged
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.json_text import compact
from boruna_ls.runtime.quoting import quoted

THREADS: Final = 16
"""Blocking effects at once; further ones wait."""
WAITING: Final = 64
"""Effects that may be under way or wait at once; the runs that ask are as many as worker processes."""
_SHOWN: Final = 200
_NAMES: Final = frozenset(kind.name for kind in CAPABILITIES)
_log = logging.getLogger(__name__)

_shared: list[Broker] = []
_shared_lock: Final = lock_order.lock("effects")


def shared_broker() -> Broker:
    """The broker of this process."""
    with _shared_lock:
        if not _shared:
            _shared.append(Broker())
        return _shared[0]


class Broker:
    """Performs effects. `register` adds a capability; everything else happens through `effects_of`."""

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = dict(HANDLERS)
        self._lock = lock_order.lock("effects")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._threads = concurrent.futures.ThreadPoolExecutor(THREADS, "effect")
        self.under_way = 0
        self.let_pass: Callable[[], None] = lambda: None
        """Called on threads that go on with an effect: waits a moment for what has precedence."""

    def register(self, capability: str, handler: Handler) -> None:
        """From now on `handler` answers a capability."""
        self.handlers[capability] = handler

    def effects_of(self, grant: Grant, used: Mapping[str, int] | None = None) -> Effects:
        """The effects of one run; `used` are its earlier calls by capability, if it goes on with an earlier run."""
        return Effects(self, grant, used or {})

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that effects run on; it begins with the first one."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="effects", daemon=True).start()
            return self._loop

    async def target_of(self, handler: Handler, effect: Effect) -> Target | None:
        """What the ceiling must allow; a plain function may look at the disk, so it runs on a thread. Raises HandlerFailure."""
        target: Any
        if inspect.iscoroutinefunction(handler.target):
            target = await handler.target(effect)
        else:
            target = await asyncio.get_running_loop().run_in_executor(self._threads, cast("Any", handler.target), effect)
        return cast("Target | None", target)

    async def perform(self, handler: Handler, effect: Effect) -> Constant:
        """The answer of a handler. Raises HandlerFailure."""
        if self.under_way >= WAITING:
            raise HandlerFailure(f"{WAITING} effects are already in progress: try again when some have finished")
        self.under_way += 1
        try:
            async with asyncio.timeout(effect.seconds_left(math.inf)):
                answer: Any
                if inspect.iscoroutinefunction(handler.perform):
                    answer = await handler.perform(effect)
                else:
                    answer = await asyncio.get_running_loop().run_in_executor(self._threads, handler.perform, effect)
                return cast("Constant", answer)
        except TimeoutError:
            raise HandlerFailure(f"{effect.capability} took longer than the run's time limit") from None
        finally:
            effect.stop.set()
            self.under_way -= 1


class Effects:
    """The effects of one run. Its policy is applied here, whatever the process that runs the program says it has checked."""

    def __init__(self, broker: Broker, grant: Grant, used: Mapping[str, int]) -> None:
        self._broker = broker
        self._grant = grant
        self._used = dict(used)
        self._lock = lock_order.lock("effects")
        self._current: concurrent.futures.Future[Constant] | None = None
        self._is_stopped = False

    def answer(self, content: bytes) -> bytes:
        """Answers the content of a CALL frame with that of a RESULT frame; blocks until the effect is done."""
        self._broker.let_pass()
        try:
            asked = json.loads(content.decode("utf-8", "surrogatepass"))
            capability, by_function = str(asked["capability"]), bool(asked["by_function"])
            arguments = [from_tagged(argument) for argument in asked["arguments"]]
            if capability not in _NAMES:
                raise ValueError("no capability")
        except (ValueError, KeyError, TypeError, RecursionError, TooLarge) as error:
            return _encoded({"failure": f"invalid call: {type(error).__name__}"})
        try:
            return _encoded({"value": constant_to_json(self.call(capability, arguments, by_function))})
        except CapabilityDenied as denied:
            return _encoded({"denied": denied.message})
        except HandlerFailure as failure:
            return _encoded({"failure": str(failure)})
        except Exception as error:
            # An internal error is an answer for the program, not the end of the waiting thread.
            _log.exception("a call of %s failed", capability)
            return _encoded({"failure": f"internal error: {type(error).__name__}"})

    def call(self, capability: str, arguments: Sequence[Any], by_function: bool) -> Constant:
        """Performs one effect, as a handler of a gateway. Raises HandlerFailure or CapabilityDenied."""
        loop = self._broker.loop
        with self._lock:
            if self._is_stopped:
                raise HandlerFailure("the run was stopped")
            job = asyncio.run_coroutine_threadsafe(self._perform(capability, arguments), loop)
            self._current = job
        try:
            answer = job.result()
            self._broker.let_pass()
            return answer
        except concurrent.futures.CancelledError:
            raise HandlerFailure("the run was stopped") from None

    def cancel(self) -> None:
        """Stops what is under way; further calls fail."""
        with self._lock:
            self._is_stopped = True
            current = self._current
        if current is not None:
            current.cancel()

    async def _perform(self, capability: str, arguments: Sequence[Any]) -> Constant:
        self._check_policy(capability)
        handler = self._broker.handlers.get(capability)
        if handler is None:
            raise HandlerFailure(f"{capability} has no live handler here")
        effect = Effect(capability, arguments, self._grant.bounds_of(capability), self._grant.deadline)
        target = await self._broker.target_of(handler, effect) if handler.target is not None else None
        if target is not None:
            effect = replace(effect, bounds=await self._grant.bounds_for(capability, target))
        shown = quoted(target.value[:_SHOWN]) if target is not None else ""
        begun = time.monotonic()
        outcome = "failed"
        try:
            answer = await self._broker.perform(handler, effect)
            outcome = "done"
            return answer
        except HandlerFailure:
            raise
        except Exception as error:
            _log.exception("the handler of %s failed", capability)
            raise HandlerFailure(f"internal error in the handler of {capability}: {type(error).__name__}") from error
        finally:
            took = 1000 * (time.monotonic() - begun)
            _log.info("effect %s %s of %s: %s, %.0f ms", capability, shown, quoted(self._grant.program), outcome, took)

    def _check_policy(self, capability: str) -> None:
        rule = self._grant.bounds.policy.rule(capability)
        if not rule.allow:
            raise CapabilityDenied(capability, f"capability denied: {capability}")
        self._used[capability] = count = self._used.get(capability, 0) + 1
        if 0 < rule.budget < count:
            raise CapabilityDenied(capability, f"capability budget exceeded: {capability}")


def _encoded(answer: dict[str, Any]) -> bytes:
    with contextlib.suppress(RecursionError):
        return compact(answer).encode("utf-8", "surrogatepass")
    return compact({"failure": "the answer is nested too deep"}).encode()
