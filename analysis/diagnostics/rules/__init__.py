"""The rules of a check: functions from what is known of a chunk (`context`) to diagnostics, one module for each family."""
