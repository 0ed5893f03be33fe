"""Known vulnerabilities of the locked dependencies, for `make audit`: `python -m tests.house.audit PIP_AUDIT LOCK`.

Exit status 0: none is known. 1: some are, and are listed. 3: the advisories could not be asked for, so nothing is known.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final

VULNERABLE: Final = 1
UNKNOWN: Final = 3
_ARGUMENTS: Final = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")
_LONGEST: Final = 300.0
"""Seconds."""


def audit(program: str, lock: str) -> tuple[int, str]:
    """The exit status and what there is to say."""
    try:
        line = [program, "--requirement", lock, *_ARGUMENTS]
        done = subprocess.run(line, capture_output=True, text=True, timeout=_LONGEST, check=False)
    except OSError as error:
        return _unknown(f"{program} cannot be started: {error.strerror}")
    except subprocess.TimeoutExpired:
        return _unknown(f"no answer within {_LONGEST:.0f} seconds")
    try:
        dependencies: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return _unknown(done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode} without a report")
    found = [(one, each) for one in dependencies for each in one.get("vulns", ())]
    if found:
        rows = [f"{one['name']} {one['version']}: {each['id']}, {_fixed(each)}" for one, each in found]
        return VULNERABLE, "\n".join([f"{len(rows)} known vulnerabilities of locked dependencies:", *rows])
    if skipped := [one["name"] for one in dependencies if "skip_reason" in one]:
        return _unknown(f"no advisories for {', '.join(sorted(skipped)[:10])}")
    return 0, f"no known vulnerability in {len(dependencies)} locked dependencies"


def _unknown(reason: str) -> tuple[int, str]:
    message = "the advisories of PyPI could not be asked for, so nothing is known about the locked dependencies"
    return UNKNOWN, f"{message} ({reason[:500]}): try again where the network reaches them"


def _fixed(vulnerability: dict[str, Any]) -> str:
    versions = vulnerability.get("fix_versions") or []
    return f"fixed in {', '.join(versions)}" if versions else "not fixed yet"


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    status, text = audit(*arguments)
    print(text, file=sys.stderr if status else sys.stdout)
    return status


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
