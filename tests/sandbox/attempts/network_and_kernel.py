# mypy: ignore-errors
"""Attempts at the network, at rights, and at what the kernel offers."""

import ctypes
import os
import socket
import subprocess
import time

from attempt import attempt, called, fail, libc, or_none, outside, read, read_whole, wrote


@attempt
def connects_to_an_abstract_socket():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(b"\0" + outside["abstract"].encode())
    return "connected"


@attempt
def connects_to_a_socket_in_a_folder():
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(outside["socket"])
    return "connected"


@attempt
def finds_sockets_of_the_daemon():
    return [
        os.path.join(folder, name)
        for top in ("/run", "/tmp", "/var/run")
        for folder, _, names in os.walk(top)
        for name in names
        if name.endswith(".sock")
    ] or fail()


@attempt
def connects_to_loopback():
    return socket.create_connection(("127.0.0.1", outside["port"]), 1).fileno()


@attempt
def connects_to_the_world():
    return socket.create_connection(("1.1.1.1", 53), 1).fileno()


@attempt
def looks_a_name_up():
    return socket.getaddrinfo("example.org", 80)


@attempt
def has_other_networks():
    return [name for _, name in socket.if_nameindex() if name != "lo"] or fail()


@attempt
def talks_to_the_hypervisor():
    with socket.socket(40, socket.SOCK_STREAM) as end:
        end.connect((2, 1024))
    return "connected"


@attempt
def opens_a_raw_socket():
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW).fileno()


@attempt
def uses_the_crypto_of_the_kernel():
    return socket.socket(38, socket.SOCK_SEQPACKET).fileno()


@attempt
def reads_keyrings():
    return called(libc.syscall(250 if os.uname().machine == "x86_64" else 219, 0, -3, 0))


@attempt
def uses_io_uring():
    return called(libc.syscall(425, 8, ctypes.create_string_buffer(200)))


@attempt
def loads_bpf():
    return called(libc.syscall(321 if os.uname().machine == "x86_64" else 280, 0, ctypes.create_string_buffer(200), 72))


@attempt
def counts_performance():
    return called(libc.syscall(298 if os.uname().machine == "x86_64" else 241, ctypes.create_string_buffer(200), 0, -1, -1, 0))


@attempt
def hides_memory_in_files():
    return os.memfd_create("hog")


@attempt
def calls_as_32_bits():
    if os.uname().machine != "x86_64":
        fail()
    # int 0x80 with the number of getpid.
    import mmap

    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    child = os.fork()
    if not child:
        ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 or fail()


@attempt
def calls_as_x32():
    return called(libc.syscall(0x40000000 + 39))


@attempt
def becomes_root():
    os.setuid(0)
    return os.getuid()


@attempt
def has_capabilities():
    return [
        line
        for line in read_whole("/proc/self/status").splitlines()
        if line.startswith(("CapEff", "CapPrm", "CapInh", "CapAmb")) and int(line.split()[1], 16)
    ] or fail()


@attempt
def gains_rights_by_setuid_programs():
    programs = [one for one in ("/usr/bin/su", "/usr/bin/mount", "/usr/bin/passwd", "/usr/bin/sudo") if os.path.exists(one)]
    done = [subprocess.run([one, "--version"], capture_output=True) for one in programs]
    return ("NoNewPrivs:\t1" not in read_whole("/proc/self/status") and done) or fail()


@attempt
def makes_a_setuid_program():
    wrote("program")
    os.chmod("program", 0o4755)
    return os.statvfs(".").f_flag & os.ST_NOSUID == 0 or fail()


@attempt
def sets_the_clock():
    time.clock_settime(time.CLOCK_REALTIME, time.time() + 3600)
    return "set"


@attempt
def sets_the_name_of_the_machine():
    socket.sethostname("owned")
    return "set"


@attempt
def takes_more_processors():
    os.sched_setaffinity(0, range(os.cpu_count()))
    return "taken"


@attempt
def becomes_a_real_time_process():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "done"


@attempt
def raises_its_priority():
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) - 5)
    return "done"


@attempt
def changes_the_share_of_all_sandboxes():
    for nice in ("0", "19"):
        with open("/proc/self/autogroup", "w") as file:
            file.write(nice)
    return "done"


@attempt
def writes_settings_of_its_process():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    return "done"


@attempt
def raises_its_limits():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (100_000, 100_000))
    return "done"


@attempt
def opens_files_by_handle():
    return called(
        libc.syscall(
            303 if os.uname().machine == "x86_64" else 264,
            -100,
            b"/",
            ctypes.create_string_buffer(200),
            ctypes.create_string_buffer(8),
            0,
        )
    )


@attempt
def types_into_a_terminal():
    import fcntl

    fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), 0x5412, b"x")
    return "typed"


@attempt
def sees_the_kernel():
    return [
        path for path in ("/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/kallsyms", "/proc/timer_list") if or_none(path)
    ] or fail()


@attempt
def sees_sysfs():
    return os.listdir("/sys") or fail()


@attempt
def reads_shadow():
    return read("/etc/shadow")
