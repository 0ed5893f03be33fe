"""Workflow definitions (`workflow.json`): read with positions, validated as a graph, written canonically. Text in, data out.

`reader.read_definition` reads a text, `validation.validate` finds errors in it, `graph` orders it, `canonical` hashes it.
"""
