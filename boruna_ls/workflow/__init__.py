"""Workflows outside the database: definitions and programs from folders, runs that survive, evidence that can be verified.

Knows no protocol. `analysis/workflow/` judges definitions; the commands and tools show what is here.
"""
