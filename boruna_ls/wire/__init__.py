"""What is below both protocols: frames for editors, lines for agents, listening sockets, names of toolsets.

Standard library only, and little of it: every forwarder waits for these imports.
"""
