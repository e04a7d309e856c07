"""Syncbot: upstream-sync bot and patch lifecycle manager for temporary workarounds."""
