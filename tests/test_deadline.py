"""Deadlines, and alarms: each alarm rings once when its deadline is over, none after it was cancelled; all share a thread."""

from __future__ import annotations

import math
import queue
import threading
import time
from functools import partial
from pathlib import Path

import pytest

import boruna_ls
from boruna_ls.deadline import Alarm, Deadline

PATIENCE = 30


def test_alarms_ring_in_the_order_of_their_deadlines() -> None:
    rung: queue.Queue[str] = queue.Queue()
    alarms = [Alarm(Deadline.after(seconds), partial(rung.put, name)) for name, seconds in (("b", 0.3), ("a", 0.05))]
    assert [rung.get(timeout=PATIENCE) for _ in alarms] == ["a", "b"]


def test_a_cancelled_alarm_does_not_ring() -> None:
    rung: queue.Queue[str] = queue.Queue()
    Alarm(Deadline.after(0.1), lambda: rung.put("cancelled")).cancel()
    Alarm(Deadline.after(0.2), lambda: rung.put("other"))
    assert rung.get(timeout=PATIENCE) == "other"


def test_an_alarm_that_blocks_delays_no_other() -> None:
    rung: queue.Queue[str] = queue.Queue()
    released = threading.Event()
    Alarm(Deadline.after(0), released.wait)
    Alarm(Deadline.after(0.05), lambda: rung.put("other"))
    try:
        assert rung.get(timeout=PATIENCE) == "other"
    finally:
        released.set()


def test_an_alarm_waits_while_its_deadline_stands_still() -> None:
    rung: queue.Queue[str] = queue.Queue()
    deadline = Deadline.after(0.1)
    with deadline.paused():
        Alarm(deadline, lambda: rung.put("paused"))
        with pytest.raises(queue.Empty):
            rung.get(timeout=0.3)
    assert rung.get(timeout=PATIENCE) == "paused"


def test_alarms_that_do_not_ring_have_no_threads() -> None:
    Alarm(Deadline.after(60), print).cancel()
    before = threading.active_count()
    alarms = [Alarm(Deadline.after(60), print) for _ in range(500)]
    assert threading.active_count() <= before
    for alarm in alarms:
        alarm.cancel()


def test_a_deadline_that_counts_from_the_beginning_is_bounded_while_it_waits() -> None:
    now = time.monotonic()
    deadline = Deadline.once_begun(1000.0, now + 100.0)
    assert deadline.ends == now + 100.0
    deadline.begin()
    assert deadline.ends == now + 100.0
    assert Deadline.once_begun(1000.0).left() == math.inf


def test_only_work_in_the_background_counts_from_its_beginning() -> None:
    """Somebody waits for everything else: it counts from the call, the time in the queue included."""
    package = Path(boruna_ls.__file__).parent
    users = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if ".once_begun(" in path.read_text()}
    assert users == {"executions/driver.py", "workflow/driver.py"}
