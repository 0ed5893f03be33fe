"""Starts processes that run what others wrote: workers today, sandboxes too. Start reading in `launcher.py`."""
