"""What capabilities do: fixed answers (`mock`), or the world within the bounds of a policy (`live`)."""
