"""Takes a change out of a tree, or puts it onto one, on git objects alone, and verifies the result."""
