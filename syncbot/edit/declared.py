"""Declared edits: what a person wrote in the manifest, done on the syntax tree or on a key. (To come.)"""
from __future__ import annotations
from typing import Any

def run(engine: Any) -> Any: raise NotImplementedError
def undone(store: Any, commit: str, edits: Any) -> str: raise NotImplementedError
