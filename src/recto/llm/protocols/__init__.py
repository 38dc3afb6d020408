"""One package per provider API, each of the same four files: body, lower, read, serve."""
