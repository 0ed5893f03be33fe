"""Settings of sandboxes: `BORUNA_SANDBOX_…` in the environment, else the owner's file `sandbox.toml` with the same names.

Settings that name a program or a path never reach the daemon by a client's environment (`rendezvous/start.py` hands on
numbers and the backend alone). A setting that cannot be used is left out, and said so.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from boruna_ls.effects.roots import config_folder

PREFIX: Final = "BORUNA_SANDBOX_"
_LARGEST: Final = 65_536
LEAST_MEMORY: Final = 16
MOST_MEMORY: Final = 4096


class Settings(BaseModel):
    """Names as in the file; in the environment in capital letters, behind `BORUNA_SANDBOX_`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    backend: Literal["auto", "bubblewrap", "firecracker", "none"] = "auto"
    root: str = Field(default="", max_length=4096)
    """Folder for what a backend must keep on disk while a sandbox lives; "": a private one in the temporary folder."""
    max: int = Field(default=8, ge=1, le=64)
    """Sandboxes of one principal at once; of all together four times as many."""
    idle_s: float = Field(default=900, ge=1, le=86_400)
    memory_mib: int = Field(default=256, ge=LEAST_MEMORY, le=MOST_MEMORY)
    disk_mib: int = Field(default=256, ge=1, le=16_384)
    timeout_s: float = Field(default=30, ge=0.1, le=600)
    output_limit: int = Field(default=1 << 20, ge=1024, le=2 << 20)
    """Bytes of each stream of a command."""
    firecracker: str = Field(default="", max_length=4096)
    kernel: str = Field(default="", max_length=4096)
    rootfs: str = Field(default="", max_length=4096)
    languages: dict[str, list[str]] = Field(default_factory=dict, max_length=32)
    """More of them: by name the suffix of files and the command line, in which `{file}` stands for the file."""


class ReadSettings(NamedTuple):
    """The settings, and what was wrong with some of them."""

    settings: Settings
    problems: tuple[str, ...]


LANGUAGES: Final[Mapping[str, list[str]]] = {
    "bash": [".sh", "bash", "{file}"],
    "node": [".js", "node", "{file}"],
    "python": [".py", "python3", "{file}"],
}


def read(environment: Mapping[str, str] | None = None) -> ReadSettings:
    """The settings as they are now. Reads the disk."""
    environment = os.environ if environment is None else environment
    given, problems = _from_file(os.path.join(config_folder(), "sandbox.toml"))
    for name in Settings.model_fields:
        text = environment.get(PREFIX + name.upper())
        if text is not None and name != "languages":
            given[name] = text
    wrong: set[str] = set()
    while True:
        try:
            return ReadSettings(Settings.model_validate({k: v for k, v in given.items() if k not in wrong}), tuple(problems))
        except ValidationError as error:
            for problem in error.errors():
                name = str(problem["loc"][0])
                if name not in wrong:
                    problems.append(f"{name}: {problem['msg']}; the default is used")
                wrong.add(name)


def root_of(settings: Settings) -> str:
    """The folder for what must be kept on disk; not made here."""
    user = 0
    if sys.platform != "win32":
        user = os.getuid()
    return settings.root or os.path.join(tempfile.gettempdir(), f"boruna-sandboxes-{user}")


def _from_file(path: str) -> tuple[dict[str, Any], list[str]]:
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if sys.platform != "win32" and (status.st_uid not in (0, os.geteuid()) or stat.S_IMODE(status.st_mode) & 0o022):
                return {}, [f"{path} can be written by others, so it is ignored: chmod 600 {path}"]
            return tomllib.loads(file.read(_LARGEST).decode("utf-8")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError) as error:
        return {}, [f"{path} cannot be read: {error}"]
