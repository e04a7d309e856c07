"""The JSON Schema (draft 2020-12) of ``syncbot.toml`` and ``patch.toml``, for editors that complete and check TOML."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from syncbot.config.config_file import ConfigFile
from syncbot.config.manifest_file import ManifestFile

FILES: dict[str, type[BaseModel]] = {"config": ConfigFile, "manifest": ManifestFile}


class _TomlSchema(GenerateJsonSchema):
    """TOML has no null: what may be left out is not in ``required``, and that is all there is to say."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Return the schema of the value that is there."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Return no default where it is null."""
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        """Leave the titles out: they would only repeat the keys."""
        return False


def json_schema(file: str) -> dict[str, Any]:
    """Return the schema of ``config`` or ``manifest``; raises `KeyError` for any other name."""
    schema = FILES[file].model_json_schema(schema_generator=_TomlSchema)
    return {"$schema": _TomlSchema.schema_dialect, **schema}
