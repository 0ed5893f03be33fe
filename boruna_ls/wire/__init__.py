"""Framing of messages in a stream of bytes: frames for editors, lines for agents. Standard library only, and little of it."""
