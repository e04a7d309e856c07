"""The stages of the contract suite."""

from forge_stages import emulate_api, stage, template

__all__ = ["emulate_api", "stage", "template"]
