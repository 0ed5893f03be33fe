"""Threads for blocking work, with separate limits per client: long work of one client does not keep others from a thread.

The event loop's own pool (`asyncio.to_thread`) is small and serves all in the order of arrival, so it is for work that is
short whatever its caller asks for. What an agent can make long has threads of its agent's; opening and closing documents
has threads of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import weakref
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
AT_ONCE: Final = 4
"""Threads of an agent; its further work waits."""
KEPT: Final = 8
"""Agents whose threads wait for further work; those of others end with their last work."""
_pools: Final[weakref.WeakValueDictionary[Hashable, ThreadPoolExecutor]] = weakref.WeakValueDictionary()
"""The pools in use. One goes, and its threads end, with the last work that it was given, unless it is among the `_latest`."""
_latest: Final[dict[Hashable, ThreadPoolExecutor]] = {}
"""The pools used last, the latest one at the end: starting a thread for each call takes longer than most calls."""
_EDITORS: Final = ThreadPoolExecutor(16, "documents")


async def for_agent(owner: Hashable, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Has an agent's work done; a caller that is cancelled does not stop what has begun."""
    pool = _pools.get(owner)
    if pool is None:
        pool = _pools[owner] = ThreadPoolExecutor(AT_ONCE, "agent")
    _latest.pop(owner, None)
    _latest[owner] = pool
    if len(_latest) > KEPT:
        del _latest[next(iter(_latest))]
    return await _in_pool(pool, partial(_holding, pool, partial(function, *args, **kwargs)))


async def for_editor(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Looks at the disk for a document or the folders of an editor."""
    return await _in_pool(_EDITORS, partial(function, *args, **kwargs))


def let_editor_go(function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Has what an editor had open closed, of which the disk may have to be asked; nobody waits for it."""
    _EDITORS.submit(function, *args, **kwargs)


async def _in_pool(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(pool, contextvars.copy_context().run, work)


def _holding(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """The pool stays while it works: a caller that gives up and asks again gets no further threads."""
    return work()
