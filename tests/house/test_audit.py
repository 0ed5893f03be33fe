"""`make audit` tells apart what is vulnerable and what could not be asked; stand-ins print what pip-audit prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.house.audit import UNKNOWN, VULNERABLE, audit

SOUND = {"name": "click", "version": "8.2.0", "vulns": []}
WEAK = {"name": "mcp", "version": "1.0", "vulns": [{"id": "PYSEC-2099-1", "fix_versions": ["1.1"], "aliases": []}]}
SKIPPED = {"name": "unheard-of", "skip_reason": "not found on PyPI"}
OFFLINE = "ERROR:pip_audit._cli:Failed to query PyPI: Max retries exceeded"


def program(folder: Path, output: object, errors: str = "", status: int = 0) -> str:
    path = folder / "pip-audit"
    text = json.dumps(output) if output is not None else ""
    path.write_text(f"#!{sys.executable}\nimport sys\nprint({text!r})\nprint({errors!r}, file=sys.stderr)\nsys.exit({status})\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts")
def test_an_audit_says_what_is_known(tmp_path: Path) -> None:
    assert audit(program(tmp_path, {"dependencies": [SOUND]}), "lock") == (0, "no known vulnerability in 1 locked dependencies")
    status, text = audit(program(tmp_path, {"dependencies": [SOUND, WEAK]}, status=1), "lock")
    assert status == VULNERABLE
    assert "mcp 1.0: PYSEC-2099-1, fixed in 1.1" in text
    for output, errors, reason in ((None, OFFLINE, "Max retries"), ({"dependencies": [SOUND, SKIPPED]}, "", "unheard-of")):
        status, text = audit(program(tmp_path, output, errors, 1), "lock")
        assert status == UNKNOWN
        assert reason in text
        assert "nothing is known" in text
    assert audit(str(tmp_path / "nowhere"), "lock")[0] == UNKNOWN
