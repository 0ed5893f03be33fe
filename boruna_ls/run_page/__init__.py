"""Pictures of workflows: the graph as SVG, and a page on which a run is followed and decided (docs/workflows.md)."""
