# mypy: ignore-errors
"""Common parts of attempts. These modules run inside a sandbox, where `__main__.py` makes every attempt.

An attempt returns what it got, or raises: an attempt that gets something has succeeded.
"""

import ctypes
import json
import os
import sys

outside = json.loads(sys.argv[1])
"""Places and numbers outside."""
libc = ctypes.CDLL(None, use_errno=True)
IS_X86 = os.uname().machine == "x86_64"
ATTEMPTS = {}


def attempt(function):
    ATTEMPTS[function.__name__] = function
    return function


def called(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def read(path):
    with open(path, "rb") as file:
        return file.read(200).decode("latin-1")


def wrote(path):
    with open(path, "ab") as file:
        file.write(b"broken out")
    return path


def read_whole(path):
    with open(path) as file:
        return file.read()


def or_none(path):
    try:
        return read(path)
    except OSError:
        return None


def fail():
    raise OSError("nothing")
