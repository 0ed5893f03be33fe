"""The terminal sessions of the README show what the commands print."""

from __future__ import annotations

import pytest

from tests.docs.transcripts import README, carried_out, sessions

SESSIONS = sessions(README.read_text("utf-8"))


def test_the_first_screen_shows_a_repair_and_a_run() -> None:
    assert len(SESSIONS) == 1
    assert "$ boruna-ls repair" in SESSIONS[0]
    assert "$ boruna-ls run" in SESSIONS[0]


@pytest.mark.parametrize("session", SESSIONS)
def test_commands_print_what_the_readme_shows(session: str) -> None:
    assert carried_out(session) == session, "run `make transcripts`"
