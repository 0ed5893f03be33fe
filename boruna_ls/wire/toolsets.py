"""Names of the groups of tools that agents can ask for, on the command line and in the hello."""

GROUPS = ("language", "run", "app", "workflow", "analysis", "executions", "sandbox")
ALL = "all"
