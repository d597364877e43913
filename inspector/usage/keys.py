"""Which keys an answer has: the paths of its own shape, and one short name for all of them. Pure.

Taken from the whole completion, of a stream as the fold joins it, so that both can be told of with
the same paths. Indices are left out: ``/choices/message/content``. Places whose keys the asker
chooses are not looked into.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from inspector.archive.text import clean
from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Json

OTHER_KEYS = ""
"""In place of a digest: of an answer with more keys than are watched, or whose set came when too
many were new.
"""
DIGEST_CHARACTERS = 32
MOST_PATHS = 200
MOST_CHARACTERS = 16_000
MOST_LEVELS = 7
MOST_NODES = 20_000
NAME_CHARACTERS = 60
FREE = frozenset(
    {"args", "arguments", "input", "logprobs", "metadata", "parameters", "parsed", "schema"}
)
"""Whose own keys are the asker's, or one for each token."""


@dataclass(frozen=True, slots=True)
class Keys:
    """``paths`` is None where there are more than are watched."""

    streamed: bool
    paths: tuple[str, ...] | None

    @property
    def digest(self) -> str:
        said = msgspec.json.encode((self.streamed, self.paths))
        return hashlib.sha256(said).hexdigest()[:DIGEST_CHARACTERS]

    @property
    def name(self) -> str:
        """As the sums know it."""
        return OTHER_KEYS if self.paths is None else self.digest


def keys_of(analysis: Analysis) -> Keys | None:
    """None for an answer that is not complete: it lacks keys for that reason; and for one of which
    no completion was read."""
    completion = analysis.completion
    if analysis.verdict is not Verdict.COMPLETE or not isinstance(completion, dict):
        return None
    return Keys(analysis.streamed, paths_of(completion))


def paths_of(completion: Json) -> tuple[str, ...] | None:
    """In their order as text; None where there are too many of them, or of values to look at."""
    found: set[str] = set()
    waiting, nodes = [(completion, "", 0)], 0
    while waiting:
        value, path, level = waiting.pop()
        nodes += len(value)
        if nodes > MOST_NODES or len(found) > MOST_PATHS:
            return None
        if isinstance(value, list):
            waiting.extend((item, path, level) for item in value if isinstance(item, dict | list))
        else:
            found.update(path + name for name in map(_name, value))
            waiting.extend(_inside(value, path, level))
    is_small = len(found) <= MOST_PATHS and sum(map(len, found)) <= MOST_CHARACTERS
    return tuple(sorted(found)) if is_small else None


def _inside(value: dict[str, Json], path: str, level: int) -> Iterator[tuple[Json, str, int]]:
    if level + 1 < MOST_LEVELS:
        for name, inner in value.items():
            if isinstance(inner, dict | list) and name not in FREE:
                yield inner, path + _name(name), level + 1


def _name(key: str) -> str:
    """As one step of a JSON Pointer."""
    return "/" + clean(key.replace("~", "~0").replace("/", "~1"), NAME_CHARACTERS)
