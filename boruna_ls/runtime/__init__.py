"""Runs programs: the virtual machine, the gateway to the outside world, the processes that it all happens in.

Stands on `analysis` alone. Nothing here knows a protocol or a workspace; `answers/run.py` makes answers of what comes out.
"""
