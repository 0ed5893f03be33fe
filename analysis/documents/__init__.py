"""Documents that are no programs, as the query database and editors see them: workflows, settings, policies, manifests.

`file_names.py` tells them from programs. A new kind is a module in `kinds/` and a line in the table there.
"""
