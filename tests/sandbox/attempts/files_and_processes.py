# mypy: ignore-errors
"""Attempts at files and processes outside."""

import os
import signal
import subprocess
import time

from attempt import attempt, called, fail, libc, or_none, outside, read, wrote


@attempt
def reads_the_canary():
    return read(outside["canary"])


@attempt
def writes_the_canary():
    return wrote(outside["canary"])


@attempt
def reads_by_parents():
    return read("../" * 30 + outside["canary"].lstrip("/"))


@attempt
def reads_by_a_link():
    os.symlink(outside["canary"], "link")
    return read("link")


@attempt
def reads_by_a_linked_folder():
    os.symlink("/", "root")
    return read("root" + outside["canary"])


@attempt
def reads_by_a_hard_link():
    os.link(outside["canary"], "hard")
    return read("hard")


@attempt
def reads_by_roots_of_processes():
    return [
        found
        for pid in os.listdir("/proc")
        if pid.isdigit()
        for found in [or_none(f"/proc/{pid}/root{outside['canary']}")]
        if found
    ] or fail()


@attempt
def reads_by_folders_of_processes():
    return [
        found
        for pid in os.listdir("/proc")
        if pid.isdigit()
        for found in [or_none(f"/proc/{pid}/cwd/{'../' * 20}{outside['canary']}")]
        if found
    ] or fail()


@attempt
def opens_descriptors_of_the_first_process():
    # Their numbers can be listed where the daemon is the superuser's; what they are cannot be had.
    got = []
    for name in os.listdir("/proc/1/fd"):
        for use in (os.readlink, read):
            try:
                got.append(use(f"/proc/1/fd/{name}"))
            except OSError:
                continue
    return got or fail()


@attempt
def inherits_descriptors():
    return [n for n in map(int, os.listdir("/proc/self/fd")) if n > 3] or fail()


@attempt
def reads_memory_of_the_first_process():
    with open("/proc/1/mem", "rb") as file:
        return file.read(1)


@attempt
def reads_the_environment_of_the_first_process():
    return read("/proc/1/environ")


@attempt
def sees_a_secret_of_the_environment():
    return os.environ[outside["variable"]]


@attempt
def sees_the_home_of_the_owner():
    return (
        os.listdir(outside["home"])
        and [n for n in os.listdir(outside["home"]) if not n.startswith(".pyenv") and n not in outside["shown"]]
    ) or fail()


@attempt
def writes_the_system():
    return wrote("/usr/bin/boruna-was-here")


@attempt
def writes_etc():
    return wrote("/etc/passwd")


@attempt
def writes_our_packages():
    return wrote(outside["package"])


@attempt
def writes_kernel_settings():
    return wrote("/proc/sys/kernel/core_pattern")


@attempt
def writes_every_setting():
    done = []
    for folder, _, names in os.walk("/proc/sys"):
        done += [path for path in (os.path.join(folder, name) for name in names) if os.access(path, os.W_OK)]
    return done or fail()


@attempt
def triggers_sysrq():
    with open("/proc/sysrq-trigger", "w") as file:
        file.write("h")
    return os.stat("/proc/sysrq-trigger").st_rdev != os.stat("/dev/null").st_rdev or fail()


@attempt
def makes_a_device():
    os.mknod("disk", 0o600 | 0o060000, os.makedev(254, 0))
    return "made"


@attempt
def opens_a_disk():
    return [name for name in os.listdir("/dev") if name.startswith(("sd", "vd", "nvme", "mem", "kvm", "loop"))] or fail()


@attempt
def writes_dev():
    return wrote("/dev/boruna")


@attempt
def mounts():
    return called(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))


@attempt
def unmounts():
    return called(libc.umount2(b"/proc/sys", 2))


@attempt
def makes_a_user_namespace():
    return called(libc.unshare(0x10000000))


@attempt
def clones_a_user_namespace():
    pid = called(libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0))
    if pid == 0:
        os._exit(0)
    return pid


@attempt
def clones_by_the_newer_call():
    return called(libc.syscall(435, 0, 0))


@attempt
def enters_a_namespace():
    return called(libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))


@attempt
def traces_the_first_process():
    return called(libc.ptrace(16, 1, 0, 0))


@attempt
def traces_its_child():
    child = subprocess.Popen(["sleep", "5"])
    try:
        return called(libc.ptrace(16, child.pid, 0, 0))
    finally:
        child.kill()


@attempt
def writes_memory_of_another():
    return called(libc.process_vm_readv(1, 0, 0, 0, 0, 0))


@attempt
def kills_outside():
    os.kill(outside["pid"], signal.SIGKILL)
    return "killed"


@attempt
def kills_the_first_process():
    os.kill(1, signal.SIGKILL)
    os.kill(1, signal.SIGTERM)
    os.kill(1, signal.SIGINT)
    time.sleep(0.1)
    raise OSError("the first process lives")


@attempt
def sees_processes_outside():
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and outside["mark"] in read(f"/proc/{pid}/cmdline")] or fail()
