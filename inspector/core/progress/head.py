"""The head of an answer while it is read: what it is, how far it is, what it stated."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from msgspec import UNSET

from inspector.core import formats
from inspector.core.completion import Json
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.assembly import Assembly
from inspector.core.fold.document import built_value
from inspector.core.fold.fold_context import join_pieces
from inspector.core.formats import Dialect
from inspector.core.formats.provider_error import error_message
from inspector.core.limits import MAX_MESSAGE_CHARACTERS
from inspector.core.progress.arrivals import Arrivals
from inspector.core.progress.block_list import MAX_LISTED, BlocksSoFar, open_block, shown
from inspector.core.so_far import FinishSoFar, HeadSoFar
from inspector.core.tokens.usage import MAX_COUNT, CountsFound


class HeadReader:
    """Reads the head of one assembly, again and again. ``chosen`` is a dialect that a person chose,
    by which the answer is then read.
    """

    def __init__(self, assembly: Assembly, chosen: Dialect | None) -> None:
        self._assembly = assembly
        self._chosen = chosen
        self._recognised: Dialect | None = None
        self._folds = -1
        """Objects that had been folded when the dialect was recognised."""

    def dialect(self) -> Dialect | None:
        """The dialect by all that came so far."""
        assembly = self._assembly
        if self._chosen is not None:
            return self._chosen
        # An object that repeats another but for its text shows nothing new.
        if self._folds != assembly.folds:
            self._folds = assembly.folds
            found = formats.recognise(assembly.answer.signs(MAX_LISTED))
            self._recognised = next(iter(found), None)
        return self._recognised

    def head(
        self, byte_length: int, arrivals: Arrivals, last_events: Mapping[int, int]
    ) -> HeadSoFar:
        """``last_events``: by lane, the event of its last piece."""
        assembly, dialect = self._assembly, self.dialect()
        blocks = BlocksSoFar(assembly.answer, assembly.tape.lanes, last_events).blocks()
        return HeadSoFar(
            byte_length=byte_length,
            events=len(assembly.tape.kind),
            chunks=assembly.chunks,
            dialect=dialect.slug if dialect else None,
            object=dialect.object if dialect else "unknown",
            model=self._stated("model", dialect),
            response_id=self._stated("id", dialect),
            finishes=self._finishes(),
            open_block=open_block(blocks),
            blocks=blocks,
            usage=self._usage(dialect),
            first_byte_us=arrivals.first_byte_us,
            first_reasoning_us=arrivals.first_reasoning_us,
            first_content_us=arrivals.first_content_us,
            first_tool_call_us=arrivals.first_tool_call_us,
            longest_gap_us=arrivals.longest_gap_us,
            error=self._error(),
        )

    def _stated(self, name: str, dialect: Dialect | None) -> str | None:
        """A member that names the response; None if it is not stated as a text."""
        named = dialect.identity.get(name, name) if dialect is not None else name
        value = built_value(self._assembly.answer.stated.get(named))
        return shown(value) if isinstance(value, str) else None

    def _finishes(self) -> list[FinishSoFar]:
        choices = islice(self._assembly.answer.choices.values(), MAX_LISTED)
        return [
            FinishSoFar(choice.index, _plain(choice.fields.get("finish_reason")), event)
            for choice in sorted(choices, key=lambda choice: choice.index)
            if (event := choice.finished_at) is not None
        ]

    def _usage(self, dialect: Dialect | None) -> dict[str, int | None] | None:
        answer = self._assembly.answer
        stated = answer.found_usage.value
        if not isinstance(stated, dict):
            return None
        table = formats.usage_table_of(dialect.slug if dialect is not None else None)
        return CountsFound(stated, table, answer.preliminary).counts

    def _error(self) -> str | None:
        note = self._assembly.notes.first(Anomaly.PROVIDER_ERROR)
        if note is not None:
            return join_pieces([note.detail[:MAX_MESSAGE_CHARACTERS]])
        waiting = self._assembly.waiting_error
        if waiting is UNSET:
            return None
        return join_pieces([error_message(waiting)[:MAX_MESSAGE_CHARACTERS]])


def _plain(value: Json) -> Json:
    """A value of bounded length that JSON can carry: a text or number itself, another as JSON."""
    if isinstance(value, str):
        return shown(value)
    is_number = value.__class__ is int and abs(value) <= MAX_COUNT
    return value if is_number else shown(shorten(value))
