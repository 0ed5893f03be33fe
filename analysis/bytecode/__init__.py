"""Compiled modules as values, as `.axbc` bytes and as text. Code generation (`codegen/`) makes them, the VM runs them."""
