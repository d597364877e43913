"""Component schemas, made from the Structs that the operations send and read."""

import inspect
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, get_origin

import msgspec

from api import schemas
from api.operations import ENDPOINTS
from api.operations.operation import JSON, BodyType
from api.schemas.service import ErrorBody
from inspector import period_usage

Schema = dict[str, Any]

DESCRIPTIONS = Path(__file__).with_name("descriptions.toml")
"""Descriptions of values that other packages define, by their names."""
BYTES: Schema = {"type": "string", "format": "binary"}
ANY_OBJECT: Schema = {"type": "object", "additionalProperties": True}


def schema_of(content: BodyType, media_type: str) -> Schema:
    if content is bytes:
        # A file that is JSON is read as that.
        return ANY_OBJECT if media_type == JSON else BYTES
    return ANY_OBJECT if get_origin(content) is dict else ref(content.__name__)


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def components() -> dict[str, Schema]:
    template = "#/components/schemas/{name}"
    _, found = msgspec.json.schema_components(_structs(), ref_template=template)
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


def _structs() -> list[BodyType]:
    contents = [*_contents(), ErrorBody]
    return [each for each in dict.fromkeys(contents) if _is_struct(each)]


def _contents() -> Iterator[BodyType]:
    for operation in (each for endpoint in ENDPOINTS for each in endpoint.operations):
        yield from operation.body.values()
        yield from (each.content for each in operation.responses.values() if each.content)
        if operation.error.content:
            yield operation.error.content


def _docstrings() -> dict[str, str]:
    structs = (each for module in _published() for each in _defined_in(module))
    return {each.__name__: " ".join((inspect.getdoc(each) or "").split()) for each in structs}


def _published() -> Iterator[ModuleType]:
    """Yield the modules whose docstrings are for callers."""
    yield period_usage
    for each in iter_modules(schemas.__path__):
        yield import_module(f"{schemas.__name__}.{each.name}")


def _defined_in(module: ModuleType) -> Iterator[type]:
    for value in vars(module).values():
        if _is_struct(value) and value.__module__ == module.__name__:
            yield value


def _is_struct(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, msgspec.Struct)
