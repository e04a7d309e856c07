"""Jinja2 over values: every text a person reads, and the parsers that read it back."""
