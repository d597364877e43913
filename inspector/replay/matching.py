"""Finds the recorded answer that fits a request: by its prompt, by model and path, or in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

_BASE = re.compile(r"\A.*/v[0-9]+[a-z0-9]*(?=/|\Z)")
"""Up to the last version of an API."""


class MatchKind(StrEnum):
    PROMPT = "prompt"
    """The same prompt, by its digest."""
    MODEL = "model"
    """The same model and the same path, another prompt."""
    ORDER = "order"
    """Of answers whose requests are not known the next."""


class RequestFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts by which a request is matched. None: not known."""

    path: str | None = None
    """With or without the base that it stands below, without the query."""
    model: str | None = None
    prompt_sha256: str | None = None
    is_streamed: bool | None = None


class Match(msgspec.Struct, frozen=True):
    """``candidates`` are positions of all that fit equally well; a request takes the next of them
    each time, after the last the first again.
    """

    kind: MatchKind
    candidates: tuple[int, ...]

    def at_turn(self, turn: int) -> int:
        return self.candidates[turn % len(self.candidates)]


class Miss(msgspec.Struct, frozen=True):
    """No answer fits. ``nearest`` is the position of the one with most in common, None if there are
    no answers at all; ``differs`` names what is different there.
    """

    nearest: int | None
    differs: tuple[str, ...]


def choose(request: RequestFacts, candidates: Sequence[RequestFacts]) -> Match | Miss:
    """The answers whose recorded requests fit best, or what comes nearest.

    First the same prompt, of these the same model and path if there are such; else the same model
    and path; else answers of which neither model nor path is known. Among equals those that are
    streamed, or not, as the request wants it.
    """
    numbers = range(len(candidates))
    if request.prompt_sha256 is not None:
        same = [at for at in numbers if candidates[at].prompt_sha256 == request.prompt_sha256]
        if same:
            nearest = [at for at in same if _is_same_call(request, candidates[at])]
            return Match(MatchKind.PROMPT, _as_streamed(request, candidates, nearest or same))
    same = [at for at in numbers if _is_same_call(request, candidates[at])]
    if same:
        return Match(MatchKind.MODEL, _as_streamed(request, candidates, same))
    unknown = [at for at in numbers if candidates[at].path is candidates[at].model is None]
    if unknown:
        return Match(MatchKind.ORDER, _as_streamed(request, candidates, unknown))
    return _miss(request, candidates)


def operation_of(path: str) -> str:
    """Returns the operation of a path without its base: SDKs put the version into the base or into
    the path.
    """
    return _BASE.sub("", path.rstrip("/"), count=1) or "/"


def _is_same_call(request: RequestFacts, candidate: RequestFacts) -> bool:
    # A recording of which neither is known would differ from no request.
    return not (candidate.path is candidate.model is None) and not _differences(request, candidate)


def _differences(request: RequestFacts, candidate: RequestFacts) -> tuple[str, ...]:
    """Names of facts that are known of both and differ."""
    found = []
    if None not in (request.path, candidate.path) and not _is_same_path(request, candidate):
        found.append("path")
    if None not in (request.model, candidate.model) and request.model != candidate.model:
        found.append("model")
    return tuple(found)


def _is_same_path(request: RequestFacts, candidate: RequestFacts) -> bool:
    return operation_of(request.path or "") == operation_of(candidate.path or "")


def _as_streamed(
    request: RequestFacts, candidates: Sequence[RequestFacts], found: Sequence[int]
) -> tuple[int, ...]:
    """Returns those that are streamed as the request wants it, if there are any."""
    wanted = request.is_streamed or False
    fitting = [at for at in found if candidates[at].is_streamed in (wanted, None)]
    return tuple(fitting or found)


def _miss(request: RequestFacts, candidates: Sequence[RequestFacts]) -> Miss:
    if not candidates:
        return Miss(None, ())
    differences = [_differences(request, candidate) for candidate in candidates]
    # The path tells most: a model is more often another one than the kind of call is.
    nearest = min(
        range(len(candidates)), key=lambda at: ("path" in differences[at], len(differences[at]))
    )
    return Miss(nearest, differences[nearest])
