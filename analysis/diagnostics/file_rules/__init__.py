"""Rules about a whole file: they read the declarations of all items, and their problems are placed afterwards."""
