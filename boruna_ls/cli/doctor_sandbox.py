"""`boruna-ls doctor` about sandboxes: which isolation is in force, and what would make it stronger."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator

from boruna_ls.cli.checkup import Report


def sandboxes() -> Iterator[Report]:
    """Makes one if it can, and asks it."""
    from boruna_ls.sandbox.backend import SandboxError
    from boruna_ls.sandbox.manager import Sandboxes

    manager = Sandboxes()
    try:
        for problem in manager.read_settings.problems:
            yield Report("sandboxes", "warning", f"setting {problem}", "correct it in sandbox.toml or in the environment")
        if problem := manager.backend.problem():
            yield Report("sandboxes", "ok", f"not available: {problem}", "only the tools of the toolset sandbox need them")
            return
        box = manager.create("doctor", manager.spec())
        parts = [
            f"memory is {'bounded by a control group' if box.facts['memory'] == 'cgroup' else box.facts['memory']}",
            f"processes are {'bounded by the kernel' if box.facts['processes'] == 'kernel' else 'watched'}",
            "system calls are filtered" if box.facts["seccomp"] else "system calls are not filtered",
            f"languages: {', '.join(box.languages)}",
        ]
        yield Report("sandboxes", "ok", f"{box.facts['backend']}: {'; '.join(parts)}", "; ".join(_stronger(box.facts)))
    except (SandboxError, OSError) as error:
        yield Report("sandboxes", "warning", f"creating a sandbox failed: {error}", "docs/sandboxes.md says what they need")
    finally:
        manager.close()


def _stronger(facts: dict[str, object]) -> Iterator[str]:
    if sys.platform != "win32" and os.geteuid() == 0:
        yield "run as an ordinary user: sandboxes of root are processes of root"
    if facts["memory"] == "watched":
        yield "delegate control groups (v2), as systemd does for user sessions: then the kernel bounds memory"
    if not facts["seccomp"]:
        yield f"no filter of system calls is known for {platform.machine()}"
    if facts["backend"] == "bubblewrap" and os.path.exists("/dev/kvm"):
        yield "this machine has KVM: BORUNA_SANDBOX_BACKEND=firecracker gives each sandbox its own kernel"
