"""Patch status reports from one set of rows: terminal, Markdown, HTML, JSON."""
