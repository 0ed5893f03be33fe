"""The first process of a sandbox: it makes the place, gives up its rights, and does what the daemon asks from then on.

It runs in the sandbox's namespaces, so no path that it is given leads out of them. Linux and the standard library only; every
sandbox waits for its imports. Start reading in `first.py`.
"""
