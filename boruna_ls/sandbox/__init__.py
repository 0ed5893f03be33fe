"""Sandboxes: isolated places where agents run code. `manager.py` is the way in, `backend.py` what a place must be able to do.

`inside/` is the program that runs in each sandbox. Standard library only; nothing here knows a protocol of clients.
"""
