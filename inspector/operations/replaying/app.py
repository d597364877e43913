"""Replays answers from files, as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import parse_qsl

import msgspec
import uuid6

from inspector.core.wire.exchange import Request
from inspector.operations.replaying.answer_files import FileAnswer, PromptDigest, facts_of
from inspector.proxy.asgi import CallerGone, Receive, ResponseCut, Scope, Send
from inspector.proxy.headers import as_text
from inspector.proxy.own_answers import OwnError, answer_error
from inspector.proxy.page_guard import guarded
from inspector.replay.matching import Match, MatchKind, Miss, choose
from inspector.replay.options import (
    InvalidOption,
    ReplayOptions,
    parse_options,
    path_without_options,
)
from inspector.replay.plan import Plan, plan
from inspector.replay.playing import PlayedEnding, clock_of_caller, play
from inspector.replay.request_numbers import RequestNumbers

MAX_REQUEST_BYTES = 8 << 20
MATCHED = "x-inspector-replay-matched"


class FileReplayApp:
    """Answers any request with the one answer, or with the one of several that fits."""

    def __init__(
        self, answers: Sequence[FileAnswer], digest: PromptDigest, defaults: ReplayOptions
    ) -> None:
        self._answers = answers
        self._facts = [each.facts for each in answers]
        self._digest = digest
        self._defaults = defaults
        self._turns = RequestNumbers()
        self._numbers = RequestNumbers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        send = guarded(send, scope["headers"])
        # The time that planning takes is a part of the wait for the first read.
        async with clock_of_caller(receive) as clock:
            planned = await self._plan(scope, body)
            if isinstance(planned, OwnError):
                await answer_error(send, planned, uuid6.uuid7())
                return
            played = await play(planned.head, planned.steps, send, clock)
        if played.ending is PlayedEnding.CUT:
            raise ResponseCut
        if played.ending is PlayedEnding.LEFT:
            raise CallerGone

    async def _plan(self, scope: Scope, body: bytes) -> Plan | OwnError:
        path, in_path = path_without_options(scope["raw_path"].decode("ascii"))
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        options = parse_options(query, as_text(scope["headers"]), in_path, self._defaults)
        if isinstance(options, InvalidOption):
            return invalid(options)
        chosen = self._choose(Request(method=scope["method"], url=path, body=body))
        if isinstance(chosen, OwnError):
            return chosen
        number, kind = chosen
        return await self._planned(number, kind, options)

    def _choose(self, request: Request) -> tuple[int, MatchKind | None] | OwnError:
        """The number of the answer, and by what it was found among several."""
        if len(self._answers) == 1:
            return 0, None
        found = choose(facts_of(request, self._digest), self._facts)
        if isinstance(found, Match):
            return found.at_turn(self._turns.next(found.candidates)), found.kind
        return self._no_match(found)

    async def _planned(
        self, number: int, kind: MatchKind | None, options: ReplayOptions
    ) -> Plan | OwnError:
        chosen = self._answers[number]
        turn = self._numbers.next((number, options))
        # In a thread: to find the events of a long stream takes a while, and others are played.
        planned = await asyncio.to_thread(plan, chosen.answer, options, turn, lambda: chosen.layout)
        if isinstance(planned, InvalidOption):
            return invalid(planned)
        if kind is None:
            return planned
        headers = (*planned.head.headers, (MATCHED, kind.value))
        return Plan(msgspec.structs.replace(planned.head, headers=headers), planned.steps)

    def _no_match(self, miss: Miss) -> OwnError:
        message = "No answer fits this request."
        if miss.nearest is not None:
            name = self._answers[miss.nearest].answer.name
            message += f" The nearest is {name}: it has another {' and '.join(miss.differs)}."
        return OwnError(404, "no_match", message)


def invalid(option: InvalidOption) -> OwnError:
    return OwnError(422, "invalid_option", option.message)


async def _body(receive: Receive) -> bytes:
    """The request's body to its end, from where times count; what is beyond the bound is not
    matched.
    """
    kept = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise CallerGone
        kept += message.get("body", b"")[: MAX_REQUEST_BYTES - len(kept)]
        if not message.get("more_body", False):
            return bytes(kept)
