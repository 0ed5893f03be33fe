"""The names of toolsets, for what knows no command line."""

from __future__ import annotations

from boruna_ls.wire.toolsets import ALL, GROUPS

__all__ = ["ALL", "GROUPS"]
