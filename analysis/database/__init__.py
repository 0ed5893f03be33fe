"""The query database: inputs set from outside, derived queries that remember their answers and what they read.

`docs/query-database.md` explains the model with an example.  Code map: `declaration.py` the decorators and the fast
path, `engine.py` the database itself (asking, running, verifying, inputs), `cycles.py` the error of a query that
needs itself, `branches.py` what a branch takes over from its parent, `eviction.py`,
`debris.py` what is freed piece by piece, `gate.py` the lock, `checkpoints.py` where long computing gives way,
`memo.py` and `errors.py` the values.
"""

from analysis.database.checkpoints import checkpoint, checkpoints_passed, discard, job_checkpoint, paced, paced_sorted, set_aside
from analysis.database.debris import Debris
from analysis.database.declaration import Input, Query, input, query
from analysis.database.engine import Database
from analysis.database.errors import Cancelled, CycleError, ImpureQuery
from analysis.database.eviction import QueryStatistics
from analysis.database.memo import Durability
from analysis.database.retention import Subject, retain

__all__ = [
    "Cancelled",
    "CycleError",
    "Database",
    "Debris",
    "Durability",
    "ImpureQuery",
    "Input",
    "Query",
    "QueryStatistics",
    "Subject",
    "checkpoint",
    "checkpoints_passed",
    "discard",
    "input",
    "job_checkpoint",
    "paced",
    "paced_sorted",
    "query",
    "retain",
    "set_aside",
]
