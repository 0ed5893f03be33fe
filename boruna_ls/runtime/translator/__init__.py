"""Translates modules to Python, which runs them many times faster than the interpreter, with the same results and steps.

    graph                                       basic blocks, heights of the stack, dominators, loops
    facts, world, transfer, walk, inference     what values can be, found out for the whole module
    charging                                    where steps are charged
    lines, block, expressions, effects          writing the instructions of a block
    structure, unit                             writing functions in Python's control flow; what functions share
    execution                                   running the code, and leaving it for the interpreter
    resuming                                    entering the code where a suspended program stands

Read them in this order. The interpreter decides what is right: `python -m tests.fuzz.vm` compares.
"""
