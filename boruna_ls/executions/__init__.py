"""Executions: programs that stop at a cognitive task (`llm.call`), wait for a mind, and go on when the answer comes.

The truth about an execution is its program's version, its inputs and its log (`store.py`). A drive (`driver.py`) runs the program
in a worker process (`system.py`) with that log (`logged.py`) up to the next task. docs/executions.md is the page.
"""
