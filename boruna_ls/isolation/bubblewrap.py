"""bubblewrap: a process in namespaces of its own, which sees the system's programs read-only and what it was given.

It sees no home, no socket, no other process, no network, and cannot get more rights. Whether that works here is tried out
once: user namespaces may be forbidden, or we may be in a container already.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from boruna_ls.isolation.launcher import Launch

PROGRAMS: Final = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap")
"""Fixed paths instead of PATH, by which the environment of the first client would choose the program."""
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
_FOR_NETWORK: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates", "/etc/pki")
_FIRST: Final = (
    *("--unshare-user", "--uid", "0", "--gid", "0", "--as-pid-1", "--hostname", "sandbox"),
    *("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETFCAP", "--cap-add", "CAP_NET_ADMIN"),
)
"""Rights in namespaces of its own, never in ours: `--unshare-user` fails where `--unshare-all` goes on without."""
_KERNEL: Final = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver", "/proc/tty")
_KERNEL_FILES: Final = tuple(f"/proc/{name}" for name in ("sysrq-trigger", "kcore", "keys", "key-users", "timer_list", "kallsyms",
    "kpagecount", "kpageflags", "kpagecgroup", "slabinfo", "vmallocinfo", "kmsg", "mtrr", "modules", "config.gz", "iomem",
    "ioports"))  # fmt: skip
"""Files of the kernel that a process of the superuser could read, and that no worker needs."""
_PATIENCE: Final = 10.0


class Found(NamedTuple):
    """The program, "" if it is not used, and why not."""

    program: str
    reason: str


def find(programs: Sequence[str]) -> Found:
    """The program, if it is there and works."""
    from boruna_ls.isolation.launcher import Launch

    if sys.platform != "linux":
        return Found("", f"bubblewrap needs Linux, this is {sys.platform}")
    program = next((candidate for candidate in programs if os.access(candidate, os.X_OK)), "")
    if not program:
        return Found("", "bubblewrap is not installed (the package is named bubblewrap)")
    line = [program, *arguments(Launch(())), "--", "/bin/sh", "-c", ":"]
    try:
        done = subprocess.run(line, capture_output=True, timeout=_PATIENCE, check=False, env={}, start_new_session=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Found("", f"{program} does not start: {error}")
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Found("", f"{program} does not work here: {words[-1] if words else f'status {done.returncode}'}")
    return Found(program, "")


def arguments(launch: Launch) -> list[str]:
    """The options for what is started."""
    options = ["--unshare-all", "--die-with-parent", "--clearenv", "--cap-drop", "ALL"]
    options += _FIRST if launch.first else []
    options += ["--share-net"] if launch.network else []
    for name, value in launch.environment.items():
        options += ["--setenv", name, value]
    for place in (*_SYSTEM, *(_FOR_NETWORK if launch.network else ())):
        # /bin is a link to /usr/bin on most systems.
        if os.path.islink(place) and place.count("/") == 1:
            options += ["--symlink", os.readlink(place), place]
        else:
            options += ["--ro-bind-try", place, place]
    options += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for place in launch.readable:
        options += ["--ro-bind", place, place]
    for place in launch.writable:
        options += ["--bind", place, place]
    if not launch.first:
        options += [*_without_kernel(), "--remount-ro", "/"]
    return [*options, "--chdir", launch.folder]


def _without_kernel() -> list[str]:
    """Options that cover what `/proc` has besides processes, where its files take us for the superuser."""
    options: list[str] = []
    if sys.platform == "win32" or os.geteuid() != 0:
        return options
    for place in filter(os.path.isdir, _KERNEL):
        options += ["--tmpfs", place, "--remount-ro", place]
    for place in filter(os.path.exists, _KERNEL_FILES):
        options += ["--ro-bind", "/dev/null", place]
    return options
