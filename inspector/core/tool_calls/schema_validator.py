"""Runs the jsonschema library safely on schemas from outside.

It fetches nothing, runs no regular expressions, counts its steps, and shortens values in messages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from inspector.core.json import Json
from inspector.core.tool_calls.step_budget import take_step

SHOWN_CHARACTERS = 60
"""The library quotes values whole, and a value may be all arguments."""
MAX_UNIQUE = 100
"""``uniqueItems`` is ignored for longer lists: the library compares every pair."""

NOT_FOLLOWED = (
    ("pattern", "patternProperties", "format")  # these run patterns
    + ("$dynamicRef", "unevaluatedProperties", "unevaluatedItems")  # these walk everything again
)
_NAMES_OF_SCHEMAS = ("$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary")
"""Removed from schemas: a draft's name would bring the library's own validator back, and the others
change the base of ``$ref``.
"""

Keyword = Callable[[Any, Any, Any, Mapping[str, Any]], Iterable[Any] | None]
"""A keyword of the library: takes validator, the keyword's value, the instance and the schema."""


def validator_of(schema: Json) -> Any:
    """Return the library's validator of one schema. It can be reused."""
    from referencing import Registry

    return _validator()(_shortened(schema, is_schema=True), registry=Registry())


def validation_errors(validator: Any, value: Json) -> Iterator[Any]:
    """Yield the library's errors. A malformed schema may raise any exception.

    Raises ``StepsExhausted`` if the reading has taken all its steps.
    """
    return iter(validator.iter_errors(_shortened(value)))


@cache
def _validator() -> Any:
    # Imported on first use: it takes longer to load than all of the core.
    from jsonschema import Draft202012Validator, validators

    known = Draft202012Validator.VALIDATORS
    guarded: dict[str, Keyword] = {name: _counted(keyword) for name, keyword in known.items()}
    for name in ("type", "enum", "const"):
        guarded[name] = _unless_nullable(guarded[name])
    guarded["type"] = _only(_is_type, guarded["type"])
    for name in ("exclusiveMinimum", "exclusiveMaximum"):
        guarded[name] = _only(_is_number, guarded[name])
    guarded["$ref"] = _only(_is_local, guarded["$ref"])
    guarded["items"] = _only(_is_schema, guarded["items"])
    guarded["uniqueItems"] = _few_only(guarded["uniqueItems"])
    guarded["required"] = _counted(_required)
    guarded["additionalProperties"] = _without_patterns(guarded["additionalProperties"])
    return validators.extend(Draft202012Validator, guarded | dict.fromkeys(NOT_FOLLOWED, _nothing))


def _nothing(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> None:
    return None


def _required(validator: Any, names: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
    """Like the library's, but each error has the missing field as its place."""
    from jsonschema import ValidationError

    if not isinstance(instance, dict):
        return
    for name in names:
        if name not in instance:
            yield ValidationError("missing", path=(name,))


def _counted(keyword: Keyword) -> Keyword:
    def counted(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
        take_step(value, instance)
        return keyword(validator, value, instance, schema)

    return counted


def _only(is_meant: Callable[[Any], bool], keyword: Keyword) -> Keyword:
    """Ignore a keyword if its value has the form of an older draft."""

    def only(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
        return keyword(validator, value, instance, schema) if is_meant(value) else None

    return only


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool)


def _is_type(value: Any) -> bool:
    return isinstance(value, str | list)


def _is_local(reference: Any) -> bool:
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))


def _is_schema(value: Any) -> bool:
    return not isinstance(value, list)


def _unless_nullable(keyword: Keyword) -> Keyword:
    """Accept null if the schema is ``nullable``, the way of OpenAPI 3.0."""

    def unless(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
        if instance is None and schema.get("nullable") is True:
            return None
        return keyword(validator, value, instance, schema)

    return unless


def _few_only(keyword: Keyword) -> Keyword:
    def few(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
        if isinstance(instance, list) and len(instance) > MAX_UNIQUE:
            return None
        return keyword(validator, value, instance, schema)

    return few


def _without_patterns(keyword: Keyword) -> Keyword:
    def without(validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]) -> Any:
        # Without running the patterns nobody knows which fields are additional.
        if "patternProperties" in schema:
            return None
        return keyword(validator, value, instance, schema)

    return without


class _Object(dict[str, Any]):
    def __repr__(self) -> str:
        return "an object" if self else "{}"


class _List(list[Any]):
    def __repr__(self) -> str:
        parts = [repr(item) for item in self[:6]]
        shown = ", ".join(parts[:5] + ["…"] * (len(parts) > 5))
        return f"[{shown}]" if len(shown) <= SHOWN_CHARACTERS * 2 else "a list"


class _Text(str):
    __slots__ = ()

    def __repr__(self) -> str:
        head = str(self[:SHOWN_CHARACTERS])
        return repr(head) if len(self) <= SHOWN_CHARACTERS else repr(head + "…")


def _shortened(value: Json, *, is_schema: bool = False) -> Json:
    """Copy a value so that its ``repr``, which the library puts in messages, is short."""
    if isinstance(value, dict):
        return _Object(
            (_Text(name), _shortened(item, is_schema=is_schema))
            for name, item in value.items()
            if not (is_schema and name in _NAMES_OF_SCHEMAS and isinstance(item, str))
        )
    if isinstance(value, list):
        return _List(_shortened(item, is_schema=is_schema) for item in value)
    return _Text(value) if isinstance(value, str) else value
