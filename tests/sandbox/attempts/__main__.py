# mypy: ignore-errors
"""Makes every attempt and prints what came of each as JSON."""

import json

import files_and_processes  # noqa: F401
import network_and_kernel  # noqa: F401
from attempt import ATTEMPTS

results = {}
for name, function in ATTEMPTS.items():
    try:
        results[name] = {"got": repr(function())}
    except BaseException as error:
        results[name] = {"refused": f"{type(error).__name__}: {error}"}
print(json.dumps(results))
