"""Documents that are no programs, as the query database and editors see them: workflows, settings, policies, manifests.

`names.py` tells them from programs, `kinds.py` is the table of kinds. A new kind is a module in `kinds/` and a line there.
"""
