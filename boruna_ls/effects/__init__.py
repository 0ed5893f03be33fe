"""Effects of programs: performed here, in the daemon, never in the process that runs the program.

`broker.py` is the way in, `table.py` the capabilities and their handlers, `ceiling.py` what the owner allows. A handler gets
an `Effect` and answers a tagged constant. How to add one: docs/running.md.
"""
