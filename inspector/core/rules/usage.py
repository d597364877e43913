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
    """No usage was sent; in a stream it must be requested (stream_options.include_usage).
    Tokens and cost are unknown, not zero.
    """
    if facts.is_read and facts.choices and not facts.usage.reported and not _is_null_only(facts):
        yield "No usage was sent: tokens and cost are unknown.", Where(pointer="/usage")


@rule("usage.null-only", Severity.INFO, at_end=True)
def null_only(facts: Facts) -> Iterator[Remark]:
    """A stream announces usage with null and never sends it.
    Clients that wait for the counts get none.
    """
    if facts.is_read and facts.choices and _is_null_only(facts):
        message = "Usage was only sent as null: tokens and cost are unknown."
        yield message, Where(pointer="/usage")


def _is_null_only(facts: Facts) -> bool:
    is_told = facts.usage.reported or facts.usage.extras
    return facts.streamed and "usage" in facts.top and not is_told


@rule("usage.not-a-count", Severity.WARNING)
def not_a_count(facts: Facts) -> Iterator[Remark]:
    """A count is not a whole number of 0 or more.
    Sums of it are wrong or fail.
    """
    if "" in facts.usage.extras:
        yield (
            f"usage is {_as_sent(facts.usage.extras[''])}, which is not a count.",
            _at(facts.usage),
        )
    for pointer in POINTERS.values() if facts.usage.extras else ():
        sent = facts.usage.extras.get(pointer)
        if sent is not None and not is_count(sent):
            at = _at(facts.usage, facts.usage.pointer + pointer)
            yield f"{pointer[1:]} is {_as_sent(sent)}, which is not a count.", at


def _as_sent(value: Json) -> str:
    """As JSON writes it: a text that looks like a number keeps its quotes."""
    return shorten(json.dumps(value, ensure_ascii=False))


@rule("usage.count-too-large", Severity.WARNING)
def count_too_large(facts: Facts) -> Iterator[Remark]:
    """A count is 1,000,000,000 or more: no model reads or writes so many tokens.
    Sums of it are wrong; sums and costs here leave it out.
    """
    for name in PLACES:
        count = getattr(facts.usage, name)
        if known(count) and count >= TOO_MANY_TOKENS:
            yield f"{name} is {count:,}: no model uses so many tokens.", _at_count(facts, name)


@rule(TOTAL_RULE, Severity.WARNING)
def total_mismatch(facts: Facts) -> Iterator[Remark]:
    """The total is not prompt plus completion, as OpenAI's chat-completions reference defines it.
    Costs by the total are wrong.
    """
    for line in facts.ledger.broken:
        if line.name == TOTAL:
            yield _told(facts, line)


@rule("usage.part-exceeds-whole", Severity.WARNING)
def part_exceeds_whole(facts: Facts) -> Iterator[Remark]:
    """A part is larger than the count that includes it.
    Subtracting one from the other gives a negative number.
    """
    for line in facts.ledger.broken:
        if line.relation == "≤":
            yield _told(facts, line)


@rule("usage.parts-mismatch", Severity.WARNING)
def parts_mismatch(facts: Facts) -> Iterator[Remark]:
    """Parts do not add up to their total, although this vendor promises it.
    Costs by part are wrong.
    """
    for line in facts.ledger.broken:
        if line.relation == "=" and line.name != TOTAL and line.is_promised:
            yield _told(facts, line)


@rule("usage.parts-differ", Severity.INFO)
def parts_differ(facts: Facts) -> Iterator[Remark]:
    """Parts do not add up to their total; other vendors' do, this one does not promise it.
    Costs by part may be wrong.
    """
    for line in facts.ledger.broken:
        if line.relation == "=" and line.name != TOTAL and not line.is_promised:
            yield _told(facts, line)


@rule("usage.counted-beside", Severity.INFO)
def counted_beside(facts: Facts) -> Iterator[Remark]:
    """The counts add up only if a part is not included in its total; the vendor is not known.
    Costs by prompt and completion alone leave that part out.
    """
    for each in facts.ledger.countings:
        if each.basis is Basis.NUMBERS:
            yield f"The counts add up {each.why}.", _at_count(facts, each.part)


@rule("usage.told-twice", Severity.INFO)
def told_twice(facts: Facts) -> Iterator[Remark]:
    """Two fields of the usage object report different numbers for one count.
    Clients that read the other field get another number.
    """
    for name, places in PLACES.items() if facts.usage.extras else ():
        held = getattr(facts.usage, name)
        for pointer in (POINTERS[place] for place in places):
            other = facts.usage.extras.get(pointer)
            if is_count(other) and is_count(held) and other != held:
                at = _at(facts.usage, facts.usage.pointer + pointer)
                yield f"{name} is {held:,}, but {pointer} is {other:,}.", at


@rule("usage.repeated", Severity.WARNING, when=Oddity.USAGE_REPEATED)
def repeated(facts: Facts) -> Iterator[Remark]:
    """Usage was sent again with counts that do not continue the earlier ones; the last one is used.
    Clients that take the first, or add them up, get another number.
    """
    note = facts.notes.first(Oddity.USAGE_REPEATED)
    if facts.is_read and note is not None:
        count = facts.notes.count(Oddity.USAGE_REPEATED)
        yield f"Usage was sent again with other counts{times(count)}.", note.where


@rule("usage.cumulative", Severity.INFO, when=Oddity.USAGE_GROWN)
def cumulative(facts: Facts) -> Iterator[Remark]:
    """Usage was sent several times, each time including the counts before.
    Clients that add them up count too much.
    """
    note = facts.notes.first(Oddity.USAGE_GROWN)
    if facts.is_read and note is not None:
        count = facts.notes.count(Oddity.USAGE_GROWN)
        yield f"Usage was sent again with larger counts{times(count)}.", note.where


@rule("usage.on-choice", Severity.INFO, when=Oddity.USAGE_ON_CHOICE)
def on_choice(facts: Facts) -> Iterator[Remark]:
    """Usage was sent on a choice instead of at the top level (WorkflowAI's reference, streams).
    Clients that read it at the top level get none.
    """
    note = facts.notes.first(Oddity.USAGE_ON_CHOICE)
    if note is not None:
        yield "Usage was sent on a choice.", note.where


@rule("usage.in-vendor-object", Severity.INFO)
def in_vendor_object(facts: Facts) -> Iterator[Remark]:
    """Usage was sent only inside an object of the vendor (Groq's x_groq in streams).
    Clients that read it at the top level get none.
    """
    pointer = facts.usage.pointer
    is_usual = pointer == "/usage" or pointer.startswith("/choices/")
    if facts.is_read and facts.usage.reported and not is_usual:
        yield f"Usage was sent only at {shorten(pointer)}.", _at(facts.usage)


@rule("usage.before-last-chunk", Severity.INFO, at_end=True)
def before_last_chunk(facts: Facts) -> Iterator[Remark]:
    """Usage came before the last chunk of the stream.
    Clients that read it from the last chunk get none.
    """
    event = facts.usage.found_at
    if facts.is_read and facts.streamed and isinstance(event, int) and event < facts.last_event:
        yield "Chunks came after the chunk with usage.", _at(facts.usage)


@rule("usage.rejected-prediction", Severity.INFO)
def rejected_prediction(facts: Facts) -> Iterator[Remark]:
    """Rejected prediction tokens count as completion tokens (OpenAI's completions reference).
    They are billed, and count against the limits.
    """
    rejected = facts.usage.rejected_prediction_tokens
    if isinstance(rejected, int) and rejected > 0:
        message = f"The completion tokens include {rejected:,} rejected prediction tokens."
        yield message, _at_count(facts, "rejected_prediction_tokens")


@rule("usage.completion-not-counted", Severity.WARNING)
def completion_not_counted(facts: Facts) -> Iterator[Remark]:
    """completion_tokens is 0, although the answer has content.
    Sums of tokens and cost leave this answer out.
    """
    if facts.usage.completion_tokens == 0 and any(c.says_something for c in facts.choices):
        message = "completion_tokens is 0, but the answer has content."
        yield message, _at_count(facts, "completion_tokens")


@rule("usage.service-tier", Severity.INFO, when=Trait.ASKED)
def service_tier(facts: Facts) -> Iterator[Remark]:
    """Another service tier was used than the requested one.
    Price and speed may be those of the other tier.
    """
    used, asked = facts.top.get("service_tier"), facts.asked.tier if facts.asked else None
    if asked is not None and isinstance(used, str) and used and used != asked:
        message = f"The request asks for service tier {shorten(asked)}; {shorten(used)} was used."
        yield message, Where(pointer="/service_tier")
