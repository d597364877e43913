"""Component schemas, made from the Structs that the operations send and read."""

import inspect
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_origin

import msgspec

from api.operation import JSON, BodyType, Operation

Schema = dict[str, Any]

DESCRIPTIONS = Path(__file__).with_name("descriptions.toml")
"""Descriptions of values that other packages define, by their names."""
PUBLISHED = ("api.", "inspector.period_usage")
"""Beginnings of the modules whose docstrings are for callers."""
BYTES: Schema = {"type": "string", "format": "binary"}
ANY_OBJECT: Schema = {"type": "object", "additionalProperties": True}


def schema_of(content: BodyType, media_type: str) -> Schema:
    if content is bytes:
        # A file that is JSON is read as that.
        return ANY_OBJECT if media_type == JSON else BYTES
    return ANY_OBJECT if get_origin(content) is dict else ref(content.__name__)


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def components(operations: Iterable[Operation]) -> dict[str, Schema]:
    template = "#/components/schemas/{name}"
    structs = filter(_is_struct, dict.fromkeys(_contents(operations)))
    _, found = msgspec.json.schema_components(structs, ref_template=template)
    described = {**tomllib.loads(DESCRIPTIONS.read_text("utf-8")), **_docstrings()}
    for name, schema in found.items():
        # A docstring that is not meant for callers is not published.
        schema.pop("description", None)
        if name in described:
            schema["description"] = described[name]
        _complete_arrays(schema)
    return found


def _complete_arrays(schema: object) -> None:
    """Give each array ``items`` that are a schema: generators of clients take neither none nor
    false, which a pair has for what would follow its second. Nothing follows: it has ``maxItems``.
    """
    if isinstance(schema, list):
        for each in schema:
            _complete_arrays(each)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and not schema.get("items"):
        parts = schema.get("prefixItems", [])
        distinct = [part for at, part in enumerate(parts) if part not in parts[:at]]
        schema["items"] = (
            distinct[0] if len(distinct) == 1 else {"anyOf": distinct} if parts else {}
        )
    for each in schema.values():
        _complete_arrays(each)


def _contents(operations: Iterable[Operation]) -> Iterator[BodyType]:
    for operation in operations:
        yield from operation.reads.values()
        for body in (*operation.responses, operation.error):
            if body.content is not None:
                yield body.content


def _docstrings() -> dict[str, str]:
    structs = (each for each in _below(msgspec.Struct) if each.__module__.startswith(PUBLISHED))
    return {each.__name__: " ".join((inspect.getdoc(each) or "").split()) for each in structs}


def _below(base: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for each in base.__subclasses__():
        yield each
        yield from _below(each)


def _is_struct(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, msgspec.Struct)
