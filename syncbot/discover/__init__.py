"""Finds workarounds that nobody recorded, links them to what they wait for, and writes their manifests."""
