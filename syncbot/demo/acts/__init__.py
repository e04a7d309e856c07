"""The acts, each on top of what those before it built."""
