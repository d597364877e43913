"""Finds the capture whose answer a request is to get again."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import msgspec
from django.utils import timezone

from inspector.archive import queries
from inspector.archive.listing.filters import Filters
from inspector.archive.listing.stored_answer import StoredAnswer
from inspector.archive.listing.stored_requests import StoredRequest
from inspector.archive.queries import Captures
from inspector.archive.read_log import note_replay
from inspector.proxy.viewer.replay_sets import (
    AskedRequest,
    InvalidSet,
    asked_request,
    facts_of,
    set_filters,
    with_same_tools,
)
from inspector.proxy.viewer_messages import AnswerRefusal
from inspector.replay.matching import MatchKind, Miss, choose
from inspector.replay.request_numbers import RequestNumbers
from inspector.teams.access import REPLAY
from inspector.teams.replay_keys import ReplayGrant

MAX_OF_PROMPT = 200
"""Captures of one prompt among which is chosen, the newest."""
MAX_OF_SET = 2_000
"""Captures of a set whose prompts are others, the newest."""
MAX_TOOLS_READ = 20
"""Captures that fit equally well and whose tools are compared."""
SET = "set/"


class NoAnswer(msgspec.Struct, frozen=True):
    """``detail`` is a sentence for whoever asked, where the code alone does not say all."""

    code: AnswerRefusal
    detail: str | None = None


class FoundAnswer(msgspec.Struct, frozen=True):
    stored: StoredAnswer
    match: MatchKind | None
    """How it was chosen from a set."""


UNKNOWN_CAPTURE = NoAnswer(AnswerRefusal.UNKNOWN_CAPTURE)


class AnswerSearch:
    """Counts in memory whose turn it is in sets that are answered in order."""

    def __init__(self) -> None:
        self._turns = RequestNumbers()

    def find(
        self, grant: ReplayGrant, target: str, path: str, body: bytes
    ) -> FoundAnswer | NoAnswer:
        captures = queries.for_principal(grant.principal, REPLAY)
        if target.startswith(SET):
            found = self._of_set(captures, grant, target.removeprefix(SET), path, body)
        else:
            found = _found(captures, _id(target), None)
        if isinstance(found, FoundAnswer):
            note_replay(grant.principal, found.stored.capture)
        return found

    def _of_set(
        self, captures: Captures, grant: ReplayGrant, written: str, path: str, body: bytes
    ) -> FoundAnswer | NoAnswer:
        filters = set_filters(written, timezone.now())
        if isinstance(filters, InvalidSet):
            return NoAnswer(AnswerRefusal.INVALID_SET, filters.message)
        asked = asked_request(path, body)
        candidates = _candidates(captures, filters, asked)
        chosen = choose(asked.facts, [facts_of(each) for each in candidates])
        if isinstance(chosen, Miss):
            return NoAnswer(AnswerRefusal.NO_MATCH, _miss(chosen, candidates))
        fitting = [candidates[at].capture for at in chosen.candidates]
        if chosen.kind is MatchKind.ORDER:
            turn = self._turns.next((grant.key_id, written))
            return _found(captures, fitting[-1 - turn % len(fitting)], chosen.kind)
        return _found(captures, _newest(captures, fitting, asked), chosen.kind)


def _candidates(
    captures: Captures, filters: Filters, asked: AskedRequest
) -> tuple[StoredRequest, ...]:
    """Captures of the same prompt, if there are such; else the newest of the set."""
    digest = asked.facts.prompt_sha256
    if digest is not None:
        of_prompt = filters.with_value("prompt", digest)
        if same := captures.requests(of_prompt, MAX_OF_PROMPT):
            return same
    return captures.requests(filters, MAX_OF_SET)


def _newest(captures: Captures, fitting: Sequence[UUID], asked: AskedRequest) -> UUID:
    """The newest that offered the same tools, else the newest."""
    if len(fitting) > 1:
        stored = {each: captures.answer(each) for each in fitting[:MAX_TOOLS_READ]}
        requests = {each: found.exchange.request for each, found in stored.items() if found}
        fitting = with_same_tools(asked.tools, requests) or fitting
    return fitting[0]


def _found(
    captures: Captures, capture_id: UUID | None, match: MatchKind | None
) -> FoundAnswer | NoAnswer:
    """A capture of another team, a deleted one, one that is still recorded and none at all are the
    same to whoever asks.
    """
    found = captures.answer(capture_id) if capture_id else None
    return UNKNOWN_CAPTURE if found is None else FoundAnswer(found, match)


def _id(target: str) -> UUID | None:
    try:
        return UUID(target)
    except ValueError:
        return None


def _miss(miss: Miss, candidates: Sequence[StoredRequest]) -> str:
    if miss.nearest is None:
        return "The set is empty: none of the team's captures is in it."
    nearest = candidates[miss.nearest]
    differs = " and ".join(("prompt", *miss.differs))
    model = nearest.model or "model unknown"
    return (
        f"No answer of the set fits. The nearest is {nearest.capture} ({model}), of another"
        f" {differs}."
    )
