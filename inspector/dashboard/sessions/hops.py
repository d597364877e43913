"""The calls that belong to one answer on one axis: attempts at it, and captures of it at several
places, with what differs between them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from inspector.core.wire.exchange import MeasuredBy
from inspector.dashboard.sessions.drawing import BarPart, call_parts, scale_of
from inspector.dashboard.sessions.words import span
from inspector.formatting.humanize import plural
from inspector.sessions.queries import TurnRow

LATER_US = 100_000
"""A smaller difference is that of two ways of measuring."""
SEEN_BY: Mapping[str, str] = {
    MeasuredBy.PROXY: ", by the proxy",
    MeasuredBy.CLIENT: ", by the client",
}


@dataclass(frozen=True, slots=True)
class HopBar:
    id: UUID
    number: int
    words: str
    parts: tuple[BarPart, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerHops:
    bars: tuple[HopBar, ...]
    length: str


def answer_hops(turn: TurnRow, turns: Sequence[TurnRow]) -> AnswerHops | None:
    """None of a call that was made once and captured once."""
    first = _root(turn)
    alike = [each for each in turns if each.id == first or _root(each) == first]
    if len(alike) < 2:
        return None
    scale = scale_of(alike)
    bars = tuple(
        HopBar(
            each.id,
            each.number,
            _words(each),
            tuple(call_parts(each, scale)),
            tuple(_remarks(each, alike)),
        )
        for each in alike
    )
    return AnswerHops(bars, span(scale.length))


def _root(turn: TurnRow) -> UUID:
    """Attempt are told of the capture that was seen first."""
    return turn.attempt_of or turn.hop_of or turn.id


def _words(turn: TurnRow) -> str:
    facts = turn.call.facts
    where = " ".join(filter(None, (facts.upstream or facts.vendor, turn.model)))
    seen = SEEN_BY.get(turn.call.measured_by, "")
    return f"{where or 'unknown'}{seen}: {turn.verdict if turn.call.has_failed else turn.result}"


def _remarks(turn: TurnRow, alike: Sequence[TurnRow]) -> Iterator[str]:
    """How one capture of an answer differs from the first of it."""
    first = next((each for each in alike if each.id == turn.hop_of), None)
    if first is None:
        return
    yield from _later(turn, first)
    if turn.call.has_failed != first.call.has_failed:
        cut = turn if turn.call.has_failed else first
        yield f"{cut.number} ends early ({cut.verdict})"
    elif turn.call.answer != first.call.answer:
        more = turn.call.characters - first.call.characters
        yield f"another text: {more:+,} characters" if more else "another text of the same length"
    if turn.call.reads and first.call.reads and turn.call.reads * 4 <= first.call.reads:
        reads = plural(turn.call.reads, "read")
        yield f"held together: {reads} in place of {first.call.reads:,}"


def _later(turn: TurnRow, first: TurnRow) -> Iterator[str]:
    """By each one's own clock, from its own request on."""
    if turn.first_token_us is not None and first.first_token_us is not None:
        late = turn.first_token_us - first.first_token_us
        if abs(late) >= LATER_US:
            word = "later" if late > 0 else "earlier"
            yield f"first token {span(abs(late))} {word} than at {first.number}"
