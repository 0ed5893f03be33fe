"""The formatter: a tree in its one canonical layout, comments kept."""
