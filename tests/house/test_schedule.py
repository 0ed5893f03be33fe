"""How the tests of a run are dealt out to its processes."""

from __future__ import annotations

from tests.conftest import computes
from tests.support.schedule import PIECE, Units, comes_last


def test_a_file_that_computes_goes_out_in_pieces_and_one_that_waits_as_a_whole() -> None:
    units = Units(computes)
    computing = [f"tests/repair/test_a.py::test[{number}]" for number in range(2 * PIECE + 1)]
    waiting = [f"tests/lsp/test_b.py::test[{number}]" for number in range(2 * PIECE + 1)]
    first = [units.of(test) for test in (*computing, *waiting)]
    assert [first.count(unit) for unit in dict.fromkeys(first)] == [PIECE, PIECE, 1, len(waiting)]
    assert [units.of(test) for test in reversed((*computing, *waiting))] == first[::-1]


def test_processes_that_let_others_go_first_get_no_tests_that_wait() -> None:
    computing, waiting = "tests/repair/test_a.py::test", "tests/lsp/test_b.py::test"

    def last(tests: list[str], processes: int) -> list[int]:
        return [number for number in range(processes) if comes_last(f"gw{number}", processes, tests, computes)]

    assert [last([waiting, computing], processes) for processes in (1, 2, 6)] == [[], [0], [0, 1]]
    assert last([waiting], 6) == []
