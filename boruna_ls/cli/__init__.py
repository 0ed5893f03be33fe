"""The command line: `main.py` knows the sub-commands; each is a module that is imported only when it is asked for."""
