"""Where a client and the daemon of its user meet: folder, socket, lock, first lines, the start of a daemon.

Forwarder, daemon and command line share it. It imports the standard library only, and little of that: every editor's and
every agent's start waits for it.
"""
