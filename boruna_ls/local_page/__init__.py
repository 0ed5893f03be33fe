"""Pages of this machine: what the preview of applications and the page of a workflow run share.

`files.py` makes one page of HTML, scripts and styles; `server.py` serves it to a browser. Neither knows what is shown.
"""
