"""Turns pydantic's errors into `Problem` values: in words of the file, with what to do."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ValidationError

from syncbot.config.problems import HIDDEN, Key, Problem, did_you_mean, one_of, shown
from syncbot.config.reading import Document

_TYPES = {
    "string_type": "a text in quotes",
    "int_type": "a whole number, without quotes",
    "int_from_float": "a whole number",
    "float_type": "a number, without quotes",
    "float_parsing": "a number, without quotes",
    "bool_type": "true or false, without quotes",
    "list_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a finite number",
}
_UNIONS = ("checks",)  # arrays whose tables are told apart by ``kind``
_BOUNDS = {
    "greater_than_equal": ("ge", "a number of at least {}"),
    "less_than_equal": ("le", "a number of at most {}"),
    "greater_than": ("gt", "a number above {}"),
    "less_than": ("lt", "a number below {}"),
    "string_too_long": ("max_length", "at most {} characters"),
    "string_too_short": ("min_length", "at least {} characters"),
}


def explain(error: ValidationError, model: type[BaseModel], document: Document) -> list[Problem]:
    """Return one problem for each error pydantic found in ``document`` on its way to ``model``."""
    return [_problem(each, model, document) for each in error.errors(include_url=False)]


def _problem(error: Any, model: type[BaseModel], document: Document) -> Problem:
    kind: str = error["type"]
    context: Mapping[str, Any] = error.get("ctx") or {}
    key = _file_key(error["loc"])
    found = shown(error["input"])
    if kind == "syncbot":
        return _refusal(key, error["input"], context, document)
    if kind == "missing":
        return _missing(key, model, document)
    if kind == "extra_forbidden":
        names = _keys_of(model, key[:-1], document.data)
        return document.problem(key, "an unknown key", one_of(names), did_you_mean(key[-1], names))
    if kind in ("enum", "literal_error", "union_tag_invalid"):
        words = re.findall(r"'([^']*)'", str(context.get("expected") or context.get("expected_tags")))
        if kind == "union_tag_invalid":
            key = (*key, "kind")
            found = shown(context["tag"])
        return document.problem(key, found, one_of(words), did_you_mean(_value_at(document.data, key), words))
    if kind == "union_tag_not_found":
        return document.problem((*key, "kind"), "nothing", '`kind`, such as "benchmark" or "manual"', "add it")
    if kind == "too_short":
        return document.problem(key, found, f"at least {context['min_length']} of them")
    if kind in _BOUNDS:
        name, form = _BOUNDS[kind]
        return document.problem(key, found, form.format(context[name]))
    return document.problem(key, found, _TYPES.get(kind, error["msg"]), _shape_hint(kind, key, error["input"]))


def _refusal(key: Key, value: object, context: Mapping[str, Any], document: Document) -> Problem:
    found = HIDDEN if context.get("secret") else shown(value)
    return document.problem(key, found, context["expected"], context.get("todo"))


def _missing(key: Key, model: type[BaseModel], document: Document) -> Problem:
    owner = _model_at(model, key[:-1], document.data)
    described = owner.model_fields[str(key[-1])].description if owner else None
    expected = f"`{key[-1]}`" + (f" ({described.rstrip('.')})" if described else "")
    return document.problem(key, "nothing", expected, "add it")


def _shape_hint(kind: str, key: Key, value: object) -> str | None:
    name = str(key[-1]) if key else ""
    if kind == "list_type":
        return f"write [[{name}]] in double brackets" if isinstance(value, dict) else "put it in [square brackets]"
    if kind.startswith(("dict", "model")) and isinstance(value, list):
        return f"write [{name}] in single brackets"
    return None


def _file_key(loc: Sequence[str | int]) -> Key:
    """Return pydantic's location as a key path of the file: without ``[key]`` and without the tag of a union.

    A tag comes right after the place in an array of `_UNIONS`, unless the error is about the tag itself.
    """
    key: list[str | int] = []
    for place, part in enumerate(loc):
        is_tag = len(key) > 1 and isinstance(key[-1], int) and key[-2] in _UNIONS and loc[place - 1] == key[-1]
        if part != "[key]" and not is_tag:
            key.append(part)
    return tuple(key)


def _child(value: object, part: str | int) -> object:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list) and isinstance(part, int) and part < len(value):
        return value[part]
    return None


def _value_at(value: object, key: Sequence[str | int]) -> object:
    for part in key:
        value = _child(value, part)
    return value


def _keys_of(model: type[BaseModel], key: Key, data: object) -> list[str]:
    owner = _model_at(model, key, data)
    return list(owner.model_fields) if owner else []


def _model_at(model: type[BaseModel], key: Key, data: object) -> type[BaseModel] | None:
    """Return the model of the table at ``key``, following arrays, tables by name and unions told apart by ``kind``."""
    here: Any = model
    for part in key:
        data = _child(data, part)
        if isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields.get(str(part))
            here = field.annotation if field else None
        else:
            here = typing.get_args(here)[-1] if typing.get_args(here) else None
        here = _without_none(here, data)
    return here if isinstance(here, type) and issubclass(here, BaseModel) else None


def _without_none(annotation: Any, data: object) -> Any:
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation
    options = [each for each in typing.get_args(annotation) if each is not type(None)]
    if len(options) == 1:
        return options[0]
    tag = _child(data, "kind")
    return next((each for each in options if tag in _tags(each)), None)


def _tags(model: Any) -> tuple[Any, ...]:
    field = model.model_fields.get("kind") if isinstance(model, type) and issubclass(model, BaseModel) else None
    if field is None:
        return ()
    if isinstance(field.annotation, type) and issubclass(field.annotation, StrEnum):
        return tuple(each.value for each in field.annotation)
    return typing.get_args(field.annotation)
