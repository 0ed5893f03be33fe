"""Workflow definitions (`workflow.json`): read with positions, judged as a graph, written canonically. Pure: text in, data out.

`definition.read_definition` reads a text, `validation.validate` judges what was read, `graph` orders it, `canonical` hashes it.
"""
