"""The tests of control groups on a machine that has them: `python -m tests.sandbox.machine --kernel FOLDER`.

Boots a virtual machine with systemd on this machine's own system, which it sees read-only, and runs the tests as root in a scope
of the system's manager, and as a user in one of the user's: both have a part of the hierarchy delegated. Needs qemu (no KVM), a
static busybox, systemd with dbus, and an unpacked kernel package of the distribution:
`apt-get download linux-image-6.1.0-56-amd64; dpkg-deb -x linux-image-*.deb FOLDER`. `--select EXPRESSION FILE` runs other tests.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
TESTS: Final = ("tests/sandbox/test_groups.py", "tests/security/test_cgroup.py", "tests/security/test_workers.py")
MODULES: Final = (
    *("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"),
    *("netfs", "fscache", "9pnet", "9pnet_virtio", "9p", "overlay"),
)
"""In the order in which they need each other; those that are not there are part of the kernel."""
QUIET: Final = (
    *("systemd-udevd.service", "systemd-udev-trigger.service", "systemd-journald.service", "systemd-journald.socket"),
    *("systemd-journald-dev-log.socket", "systemd-journald-audit.socket", "systemd-tmpfiles-setup.service"),
)
INIT: Final = """#!/bin/busybox sh
b=/bin/busybox; r=/root
$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
for m in MODULES; do [ -e /m/$m.ko ] && $b insmod /m/$m.ko; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /lower || $b poweroff -f
$b mount -t tmpfs -o size=1g up /up; $b mkdir /up/u /up/w
$b mount -t overlay -o lowerdir=/lower,upperdir=/up/u,workdir=/up/w over $r
$b mount --move /dev $r/dev
s=$r/etc/systemd/system
$b rm -rf $s; $b mkdir -p $s $r/var/lib/tester
for u in QUIET; do $b ln -s /dev/null $s/$u; done
echo > $r/etc/fstab
$b mkdir -p $r/etc/systemd/system.conf.d
$b printf '[Manager]\\nShowStatus=no\\nLogLevel=err\\n' > $r/etc/systemd/system.conf.d/quiet.conf
echo 'tester:x:1000:1000::/var/lib/tester:/bin/sh' >> $r/etc/passwd; echo 'tester:x:1000:' >> $r/etc/group
$b chown 1000:1000 $r/var/lib/tester
for p in OPEN; do $b chmod o+rx $r$p; done
$b cp /check /check.service /check.target $s/
$b ln -s check.target $s/default.target
$b umount /sys /proc
exec $b switch_root $r /lib/systemd/systemd
"""
TARGET: Final = "[Unit]\nWants=check.service\nAllowIsolate=yes\n"
SERVICE: Final = """[Unit]
DefaultDependencies=no
Wants=dbus.socket systemd-logind.service
After=dbus.socket
[Service]
Type=oneshot
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
ExecStart=-/bin/bash /etc/systemd/system/check
ExecStopPost=/bin/sh -c 'echo o > /proc/sysrq-trigger'
"""
CHECK: Final = """cd ROOT
export HOME=/var/lib/tester PYTHONDONTWRITEBYTECODE=1
pytest="PYTHON -m pytest -q -n0 -p no:cacheprovider --color=no -rs -k 'SELECT' TESTS"
mount -t tmpfs -o mode=1777 tmp /tmp
eval "$pytest"; echo "RESULT root $?"
rm -rf /tmp/*
systemctl start user@1000.service
scope="systemd-run --user --scope --quiet --collect -p Delegate=yes"
user="setpriv --reuid 1000 --regid 1000 --clear-groups env XDG_RUNTIME_DIR=/run/user/1000"
$user $scope bash -c "$pytest"; echo "RESULT user $?"
"""


def archived(files: dict[str, tuple[int, bytes]]) -> bytes:
    """An archive as the kernel unpacks it at its start: by path the mode and the content."""
    parts = []
    for number, (name, (mode, data)) in enumerate([*files.items(), ("TRAILER!!!", (0, b""))], 1):
        fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]
    return gzip.compress(b"".join(parts), 1)


def initial(kernel: Path, tests: Sequence[str], select: str) -> bytes:
    """Initial RAM disk, which runs before systemd, with the modules needed to see this machine's files."""
    modules = {path.name.partition(".ko")[0]: path for path in (kernel / "lib/modules").rglob("*.ko*")}
    folders = dict.fromkeys(("bin", "proc", "sys", "dev", "lower", "up", "root", "m"), (0o040755, b""))
    needed = {part for path in (ROOT, Path(sys.prefix), Path(sys.base_prefix)) for part in (path, *path.parents)}
    words = {
        "MODULES": " ".join(MODULES),
        "QUIET": " ".join(QUIET),
        "OPEN": " ".join(sorted(map(str, needed - {Path("/")}))),
    }
    check = CHECK.replace("ROOT", str(ROOT)).replace("PYTHON -m", f"{sys.executable} -m")
    check = check.replace("TESTS", " ".join(tests)).replace("SELECT", select)
    init = INIT
    for word, value in words.items():
        init = init.replace(word, value)
    busybox = shutil.which("busybox")
    assert busybox is not None
    files = {
        "bin/busybox": (0o100755, Path(busybox).read_bytes()),
        "init": (0o100755, init.encode()),
        "check": (0o100755, check.encode()),
        "check.target": (0o100644, TARGET.encode()),
        "check.service": (0o100644, SERVICE.encode()),
    }
    for name in MODULES:
        if (path := modules.get(name)) is not None:
            data = path.read_bytes()
            files[f"m/{name}.ko"] = (0o100644, lzma.decompress(data) if path.suffix == ".xz" else data)
    return archived(folders | files)


def main() -> int:
    """Prints what the machine prints; 1 unless all tests passed both times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=Path, default=Path("/"), help="holds boot/vmlinuz-* and lib/modules")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--select", default="group or cgroup or scope or memory or bound", help="pytest's -k")
    parser.add_argument("tests", nargs="*", default=TESTS, help="files of tests (default: those of control groups)")
    options = parser.parse_args()
    images = sorted((options.kernel / "boot").glob("vmlinuz-*"))
    missing = [name for name in ("qemu-system-x86_64", "busybox", "bwrap", "systemd-run") if shutil.which(name) is None]
    missing += [] if images else [f"a kernel below {options.kernel}"]
    if missing:
        print(f"not tried: {', '.join(missing)} missing")
        return 2
    with tempfile.NamedTemporaryFile() as file:
        file.write(initial(options.kernel, options.tests, options.select))
        file.flush()
        line = ["qemu-system-x86_64", "-machine", "q35,accel=tcg", "-cpu", "max", "-m", "3072", "-smp", "1"]
        line += [
            "-nodefaults",
            "-display",
            "none",
            "-no-reboot",
            "-serial",
            "stdio",
            "-kernel",
            str(images[-1]),
            "-initrd",
            file.name,
        ]
        line += ["-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"]
        line += ["-append", "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check"]
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
        assert process.stdout is not None
        passed = set()
        try:
            for text in process.stdout:
                print(text, end="", flush=True)
                passed |= {one for one in ("root", "user") if f"RESULT {one} 0" in text}
            process.wait(options.minutes * 60)
        finally:
            process.kill()
            process.wait()
    return 0 if passed == {"root", "user"} else 1


if __name__ == "__main__":
    sys.exit(main())
