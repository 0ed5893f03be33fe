"""Previews: an application that runs beside its text, drawn as a page and driven by hand; live on every edit.

`task`, `portable`, `drawing` work in worker processes; `session` holds one preview; `server` shows it in a browser, `page/` is
the page. See docs/preview.md.
"""
