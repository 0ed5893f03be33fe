"""State that lasts: the folder in which this user's runs are kept, its layout's version, and locks that end with their process.

`folder.py` is all there is to know; `docs/state.md` describes the layout. Stores inside are owned by their packages.
"""
