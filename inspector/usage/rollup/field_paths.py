"""The fields of a response, as paths of its shape, and one short digest for all of them.

Pure. Taken from the whole completion; of a stream, from the assembled one, so that both have the
same paths. Indices are left out: ``/choices/message/content``. Objects whose fields the caller
defines are not entered.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from inspector.core.analysis import Analysis, Verdict
from inspector.core.json import Json
from inspector.database.column_text import clean_text

# In place of a digest: too many fields, or too many new sets of fields in the team.
OTHER_FIELDS = ""
DIGEST_CHARACTERS = 32
"""128 bits: paths come from payloads, and a digest stands for them."""
MAX_PATHS = 200
"""Formats have under a hundred; with more, names are data."""
MAX_CHARACTERS = 16_000
MAX_LEVELS = 7
MAX_NODES = 20_000
"""A list of objects has its fields again and again: so many are looked at."""
NAME_CHARACTERS = 60
"""Characters of one step of a path: a longer name is data."""
# Objects whose fields are defined by the caller, or that have one for each token.
CALLER_DEFINED = frozenset(
    {"args", "arguments", "input", "logprobs", "metadata", "parameters", "parsed", "schema"}
)


@dataclass(frozen=True, slots=True)
class FieldPaths:
    """``paths`` is None where there are more than are watched."""

    streamed: bool
    paths: tuple[str, ...] | None

    @property
    def digest(self) -> str:
        encoded = msgspec.json.encode((self.streamed, self.paths))
        return hashlib.sha256(encoded).hexdigest()[:DIGEST_CHARACTERS]

    @property
    def name(self) -> str:
        """The value under which ``Measure.FIELDS`` counts the response: the digest of its paths."""
        return OTHER_FIELDS if self.paths is None else self.digest


def field_paths_of(analysis: Analysis) -> FieldPaths | None:
    """Field paths of a complete response; None for others, and without a completion."""
    completion = analysis.completion
    if analysis.verdict is not Verdict.COMPLETE or not isinstance(completion, dict):
        return None
    return FieldPaths(analysis.streamed, paths_of(completion))


def paths_of(completion: Json) -> tuple[str, ...] | None:
    """Return the sorted paths of a completion; None if too many of them, or of values."""
    found: set[str] = set()
    waiting, nodes = [(completion, "", 0)], 0
    while waiting:
        value, path, level = waiting.pop()
        nodes += len(value)
        if nodes > MAX_NODES or len(found) > MAX_PATHS:
            return None
        if isinstance(value, list):
            waiting.extend((item, path, level) for item in value if isinstance(item, dict | list))
        else:
            found.update(path + name for name in map(_name, value))
            waiting.extend(_inside(value, path, level))
    is_small = len(found) <= MAX_PATHS and sum(map(len, found)) <= MAX_CHARACTERS
    return tuple(sorted(found)) if is_small else None


def _inside(value: dict[str, Json], path: str, level: int) -> Iterator[tuple[Json, str, int]]:
    if level + 1 < MAX_LEVELS:
        for name, inner in value.items():
            if isinstance(inner, dict | list) and name not in CALLER_DEFINED:
                yield inner, path + _name(name), level + 1


def _name(key: str) -> str:
    # Escaped as in a JSON Pointer (RFC 6901).
    return "/" + clean_text(key.replace("~", "~0").replace("/", "~1"), NAME_CHARACTERS)
