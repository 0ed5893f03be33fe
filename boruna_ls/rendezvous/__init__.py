"""Meeting point of a client and its user's daemon: folder, socket, lock, first lines, the start of a daemon.

Forwarder, daemon and command line share it. It imports the standard library only, and little of that: every editor's and
every agent's start waits for it.
"""
