"""The page of a preview."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from boruna_ls.local_page.files import PageFiles

PAGE: Final = PageFiles(Path(__file__).resolve().parent / "page", ("draw.js", "panels.js", "page.js"))
script, style, linked, whole = PAGE.script, PAGE.style, PAGE.linked, PAGE.whole
