"""Evidence: a run as a folder that anybody can verify (spec chapter 17, sections 5 and 6; docs/workflows.md).

`build.py` writes bundles, `verify.py` judges them, `inspection.py` shows them, `redaction.py` removes content.
"""
