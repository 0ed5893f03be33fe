"""The process that holds all workspaces of a user and serves every editor and agent of theirs; its page: docs/daemon.md.

`main.py` starts and ends it, `clients.py` brings connections to their views, `control.py` answers the command line, `life.py`
decides when it is over.
"""
