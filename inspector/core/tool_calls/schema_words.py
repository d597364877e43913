"""Says in words how a value breaks a JSON schema, by the keyword that it breaks.

The library's own sentences name the types of Python and change with its version.
"""

from collections.abc import Callable, Mapping
from typing import Any

from inspector.core.findings import shorten, shorten_quoted
from inspector.core.json import Json

MAX_NAMED = 5
"""Types or values of a schema that one sentence lists."""
MISSING = "the field is required, but missing"


def broken_schema_message(error: Any) -> str:
    """Describe one ``ValidationError`` of the library as the second half of a sentence."""
    words = _WORDS.get(error.validator)
    if words is None:
        return _by_keyword(error)
    return words(error.instance, error.validator_value)


def _by_keyword(error: Any) -> str:
    if error.validator is None:
        return f"the schema allows no value here, and {_value_words(error.instance)} was sent"
    if error.validator == "oneOf" and not error.context:
        return f"{_value_words(error.instance)} matches more than one alternative of the schema"
    if error.validator in ("anyOf", "oneOf"):
        return f"{_value_words(error.instance)} matches no alternative of the schema"
    return f"{_value_words(error.instance)} does not match {shorten(error.validator)} of the schema"


def _value_words(value: Json) -> str:
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return shorten_quoted(value)


def _joined_words(values: Json, word: str) -> str:
    """Return ``string``, ``string or null``, ``one of "a", "b" and 3 more``."""
    named = values if isinstance(values, list) else [values]
    shown = [
        shorten(each, 40) if word == "or" else _value_words(each) for each in named[:MAX_NAMED]
    ]
    more = len(named) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more:,} more"
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _type(value: Json, types: Json) -> str:
    return f"{_value_words(value)} is not of type {_joined_words(types, 'or')}"


def _length(value: Json, noun: str) -> str:
    count = len(value)
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _too_few(noun: str) -> Callable[[Json, Json], str]:
    return lambda value, least: f"it has {_length(value, noun)}, at least {least} are required"


def _too_many(noun: str) -> Callable[[Json, Json], str]:
    return lambda value, most: f"it has {_length(value, noun)}, at most {most} are allowed"


def _compared(words: str) -> Callable[[Json, Json], str]:
    return lambda value, limit: f"{_value_words(value)} {words} {_value_words(limit)}"


_WORDS: Mapping[str, Callable[[Json, Json], str]] = {
    "const": _compared("is not"),
    "contains": lambda value, _: "no item is one that the schema requires",
    "dependentRequired": lambda value, _: "a field that another one requires is missing",
    "enum": lambda value, allowed: (
        f"{_value_words(value)} is not one of {_joined_words(allowed, 'and')}"
    ),
    "exclusiveMaximum": _compared("is not less than"),
    "exclusiveMinimum": _compared("is not more than"),
    "items": lambda value, _: "it has more items than the schema names",
    "maxContains": lambda value, most: (
        f"more than {_value_words(most)} items are of the limited kind"
    ),
    "maxItems": _too_many("item"),
    "maxLength": _too_many("character"),
    "maxProperties": _too_many("field"),
    "maximum": _compared("is more than the maximum"),
    "minContains": lambda value, least: (
        f"fewer than {_value_words(least)} items are of the required kind"
    ),
    "minItems": _too_few("item"),
    "minLength": _too_few("character"),
    "minProperties": _too_few("field"),
    "minimum": _compared("is less than the minimum"),
    "multipleOf": _compared("is not a multiple of"),
    "not": lambda value, _: f"{_value_words(value)} is what the schema excludes",
    "required": lambda value, _: MISSING,
    "type": _type,
    "uniqueItems": lambda value, _: "it has equal items",
}
