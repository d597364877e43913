"""Parameters that narrow a list, from the entries of its fields."""

from collections.abc import Iterator

from api.operations.operation import Parameter, repeatable, single
from inspector.query.fields import FieldKind, Registry
from inspector.query.language import MAX_CHARACTERS
from inspector.query.parsed_query import QUERY
from inspector.query.time_input import TIME_FORMATS

QUERY_WORDS = (
    "a query in the language of lists, such as vendor:openai -verdict:complete, all of which must"
    f" hold beside the other parameters; up to {MAX_CHARACTERS:,} characters (docs/query.md)"
)


def filter_parameters(registry: Registry) -> Iterator[Parameter]:
    for name in registry.repeatable():
        yield repeatable(name, registry.allowed_values(name))
    for name in registry.single():
        yield _single(name, registry)


def _single(name: str, registry: Registry) -> Parameter:
    if name == QUERY:
        return Parameter(name, QUERY_WORDS)
    field = registry.fields[name]
    if field.kind is FieldKind.TIME:
        return Parameter(name, TIME_FORMATS)
    return single(name, field.meaning, registry.allowed_values(name))
