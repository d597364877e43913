"""Parameters that are described once for all operations: those in addresses, and those that narrow
a list, from the entries of its fields.
"""

from collections.abc import Iterator

from api.operation import Parameter, choice, several
from inspector.query.fields import FieldKind, Registry
from inspector.query.language import MAX_CHARACTERS
from inspector.query.parsed_query import QUERY
from inspector.query.time_input import TIME_FORMATS

QUERY_WORDS = (
    "a query in the language of lists, such as vendor:openai -verdict:complete, all of which must"
    f" hold beside the other parameters; up to {MAX_CHARACTERS:,} characters (docs/query.md)"
)
IN_PATHS = {
    "capture_id": "id of the capture",
    "choice": "index of the choice, as the provider sent it",
    "export": "id of the export",
    "job": "id of the bulk job",
    "redaction": "id of the rule",
    "rule": "id of the rule",
    "session": "id of the session",
    "share": "id of the link",
    "team": "the name of the team in addresses",
    "upload": "id of the upload",
    "view": "id of the view",
    "vote": "id of the vote",
}
UUIDS = ("capture_id", "session", "vote")


def path_parameter(name: str) -> Parameter:
    schema = {"type": "string"} | ({"format": "uuid"} if name in UUIDS else {})
    return Parameter(name, IN_PATHS[name], "path", schema, is_required=True)


def filter_parameters(registry: Registry) -> Iterator[Parameter]:
    for name in registry.repeatable():
        matches = "all of the values" if name == "tag" else "any of the values"
        allowed = registry.allowed_values(name)
        yield several(name, f"can be repeated; matches {matches}", allowed)
    for name in registry.single():
        yield _single(name, registry)


def _single(name: str, registry: Registry) -> Parameter:
    if name == QUERY:
        return Parameter(name, QUERY_WORDS)
    field = registry.fields[name]
    if field.kind is FieldKind.TIME:
        return Parameter(name, TIME_FORMATS)
    return choice(name, field.meaning, registry.allowed_values(name))
