"""Whether the token counts are counts, where they stand, and whether they add up."""

from __future__ import annotations

import json
from collections.abc import Iterator

from inspector.core.completion import Json, Usage, known
from inspector.core.counting import Basis
from inspector.core.cursor import shorten
from inspector.core.facts import Facts, Trait
from inspector.core.findings import Severity, Where
from inspector.core.invariants import TOTAL, TOTAL_RULE, Line
from inspector.core.ledger import entries
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times
from inspector.core.usage import PLACES, POINTERS, TOO_MANY_TOKENS, is_count


def _at(usage: Usage, pointer: str | None = None) -> Where:
    """A place in the body, or in the chunk that held the usage."""
    event = usage.found_at if isinstance(usage.found_at, int) else None
    return Where(event=event, pointer=usage.pointer if pointer is None else pointer)


def _at_count(facts: Facts, name: str) -> Where:
    found = (entry.pointer for _, entry in entries(facts.ledger) if entry.name == name)
    return _at(facts.usage, next(found, None))


def _told(facts: Facts, line: Line) -> Remark:
    return f"{line.sentence} does not hold: {line.why}.", _at_count(facts, line.whole)


@rule("usage.missing", Severity.INFO, at_end=True)
def missing(facts: Facts) -> Iterator[Remark]:
    """No usage was sent (003: usual on whole answers; in a stream it must be asked for).
    Whoever adds up cost: it is unknown, not zero.
    """
    if facts.is_read and facts.choices and not facts.usage.reported and not _is_null_only(facts):
        yield "No usage was sent: tokens and cost are unknown.", Where(pointer="/usage")


@rule("usage.null-only", Severity.INFO, at_end=True)
def null_only(facts: Facts) -> Iterator[Remark]:
    """A stream announces usage with null and then never sends it.
    Clients that wait for the counts, which such a null promises.
    """
    if facts.is_read and facts.choices and _is_null_only(facts):
        message = "Usage was only ever null: tokens and cost are unknown."
        yield message, Where(pointer="/usage")


def _is_null_only(facts: Facts) -> bool:
    is_told = facts.usage.reported or facts.usage.extras
    return facts.streamed and "usage" in facts.top and not is_told


@rule("usage.not-a-count", Severity.WARNING)
def not_a_count(facts: Facts) -> Iterator[Remark]:
    """A count is no whole number of zero or more.
    Whoever adds it up.
    """
    if "" in facts.usage.extras:
        yield f"usage is {_as_sent(facts.usage.extras[''])}: not a count.", _at(facts.usage)
    for pointer in POINTERS.values() if facts.usage.extras else ():
        sent = facts.usage.extras.get(pointer)
        if sent is not None and not is_count(sent):
            at = _at(facts.usage, facts.usage.pointer + pointer)
            yield f"{pointer[1:]} is {_as_sent(sent)}: not a count.", at


def _as_sent(value: Json) -> str:
    """As JSON writes it: a text that looks like a number keeps its quotes."""
    return shorten(json.dumps(value, ensure_ascii=False))


@rule("usage.count-too-large", Severity.WARNING)
def count_too_large(facts: Facts) -> Iterator[Remark]:
    """A count is 1,000,000,000 or more: no model reads or writes so many tokens.
    Whoever adds it up: sums and costs here leave it out.
    """
    for name in PLACES:
        count = getattr(facts.usage, name)
        if known(count) and count >= TOO_MANY_TOKENS:
            yield f"{name} is {count:,}: no model reaches it.", _at_count(facts, name)


@rule(TOTAL_RULE, Severity.WARNING)
def total_mismatch(facts: Facts) -> Iterator[Remark]:
    """The total is not prompt plus completion, as 000, 001 and 002 define it.
    Whoever bills by the total.
    """
    for line in facts.ledger.broken:
        if line.name == TOTAL:
            yield _told(facts, line)


@rule("usage.part-exceeds-whole", Severity.WARNING)
def part_exceeds_whole(facts: Facts) -> Iterator[Remark]:
    """A part is larger than the count it is a part of (000, 004).
    Whoever subtracts one from the other.
    """
    for line in facts.ledger.broken:
        if line.relation == "≤":
            yield _told(facts, line)


@rule("usage.parts-mismatch", Severity.WARNING)
def parts_mismatch(facts: Facts) -> Iterator[Remark]:
    """Parts that this vendor promises to make up their whole do not.
    Whoever prices the parts by themselves.
    """
    for line in facts.ledger.broken:
        if line.relation == "=" and line.name != TOTAL and line.is_promised:
            yield _told(facts, line)


@rule("usage.parts-differ", Severity.INFO)
def parts_differ(facts: Facts) -> Iterator[Remark]:
    """Parts that make up their whole elsewhere do not here, where nothing promises it.
    Whoever prices the parts by themselves.
    """
    for line in facts.ledger.broken:
        if line.relation == "=" and line.name != TOTAL and not line.is_promised:
            yield _told(facts, line)


@rule("usage.counted-beside", Severity.INFO)
def counted_beside(facts: Facts) -> Iterator[Remark]:
    """The counts add up only if a part is counted beside its whole; the vendor is not known.
    Whoever bills prompt and completion alone.
    """
    for each in facts.ledger.countings:
        if each.basis is Basis.NUMBERS:
            yield f"The counts add up {each.why}.", _at_count(facts, each.part)


@rule("usage.told-twice", Severity.INFO)
def told_twice(facts: Facts) -> Iterator[Remark]:
    """One count stands at two places of the usage object with different numbers.
    Clients that read the other place.
    """
    for name, places in PLACES.items() if facts.usage.extras else ():
        held = getattr(facts.usage, name)
        for pointer in (POINTERS[place] for place in places):
            other = facts.usage.extras.get(pointer)
            if is_count(other) and is_count(held) and other != held:
                at = _at(facts.usage, facts.usage.pointer + pointer)
                yield f"{name} is {held:,}, and at {pointer} it is {other:,}.", at


@rule("usage.repeated", Severity.WARNING, when=Oddity.USAGE_REPEATED)
def repeated(facts: Facts) -> Iterator[Remark]:
    """Usage was sent again with counts that do not go on from the ones before; the last one holds.
    Clients that take the first, or add them up.
    """
    note = facts.notes.first(Oddity.USAGE_REPEATED)
    if facts.is_read and note is not None:
        count = facts.notes.count(Oddity.USAGE_REPEATED)
        yield f"Usage was sent again with other counts{times(count)}.", note.where


@rule("usage.cumulative", Severity.INFO, when=Oddity.USAGE_GROWN)
def cumulative(facts: Facts) -> Iterator[Remark]:
    """Usage was sent several times, each time with counts that include the ones before.
    Clients that add them up.
    """
    note = facts.notes.first(Oddity.USAGE_GROWN)
    if facts.is_read and note is not None:
        count = facts.notes.count(Oddity.USAGE_GROWN)
        yield f"Usage was sent again with counts that have grown{times(count)}.", note.where


@rule("usage.on-choice", Severity.INFO, when=Oddity.USAGE_ON_CHOICE)
def on_choice(facts: Facts) -> Iterator[Remark]:
    """Usage stands on a choice instead of beside the choices (000 does so in streams).
    Clients that look for it at the top level.
    """
    note = facts.notes.first(Oddity.USAGE_ON_CHOICE)
    if note is not None:
        yield "Usage stands on a choice.", note.where


@rule("usage.in-vendor-object", Severity.INFO)
def in_vendor_object(facts: Facts) -> Iterator[Remark]:
    """Usage stands only inside an object of the vendor (Groq's x_groq in streams).
    Clients that look for it at the top level.
    """
    pointer = facts.usage.pointer
    is_usual = pointer == "/usage" or pointer.startswith("/choices/")
    if facts.is_read and facts.usage.reported and not is_usual:
        yield f"Usage stands only at {shorten(pointer)}.", _at(facts.usage)


@rule("usage.before-last-chunk", Severity.INFO, at_end=True)
def before_last_chunk(facts: Facts) -> Iterator[Remark]:
    """Usage came before the last chunk of its stream.
    Clients that look for it in the last chunk.
    """
    event = facts.usage.found_at
    if facts.is_read and facts.streamed and isinstance(event, int) and event < facts.last_event:
        yield "Chunks came after the one with the usage.", _at(facts.usage)


@rule("usage.rejected-prediction", Severity.INFO)
def rejected_prediction(facts: Facts) -> Iterator[Remark]:
    """Tokens of the prediction that were not used count as completion tokens all the same (004).
    Whoever pays: they are billed, and count against the limits.
    """
    rejected = facts.usage.rejected_prediction_tokens
    if isinstance(rejected, int) and rejected > 0:
        message = f"The completion tokens include {rejected:,} of a prediction that was rejected."
        yield message, _at_count(facts, "rejected_prediction_tokens")


@rule("usage.completion-not-counted", Severity.WARNING)
def completion_not_counted(facts: Facts) -> Iterator[Remark]:
    """The completion has 0 tokens although it says something (000: tokens in the completion).
    Whoever adds up tokens or cost: this answer is missing.
    """
    if facts.usage.completion_tokens == 0 and any(c.says_something for c in facts.choices):
        message = "completion_tokens is 0, and something was answered."
        yield message, _at_count(facts, "completion_tokens")


@rule("usage.service-tier", Severity.INFO, when=Trait.ASKED)
def service_tier(facts: Facts) -> Iterator[Remark]:
    """The service tier that was used is not the one that the request asks for.
    Whoever expects the price or the speed of that tier.
    """
    used, asked = facts.top.get("service_tier"), facts.asked.tier if facts.asked else None
    if asked is not None and isinstance(used, str) and used and used != asked:
        message = f"The request asks for the tier {shorten(asked)}, used was {shorten(used)}."
        yield message, Where(pointer="/service_tier")
