"""Rules about token counts: their types, their places, and whether they add up."""

from collections.abc import Iterator

from msgspec import UNSET

from inspector.core.analysis import Verdict
from inspector.core.completion import Usage, known
from inspector.core.fields.service_tier import KNOWN_WORDS
from inspector.core.findings import Severity, Where, shorten, shorten_quoted
from inspector.core.fold.anomalies import Anomaly
from inspector.core.formats.usage_table import (
    CHAT_USAGE,
    USUAL_POINTERS,
    alternatives_of,
    is_breakdown,
    is_place,
)
from inspector.core.json.pointer import steps_of
from inspector.core.json.type_words import type_word
from inspector.core.rule_context import RuleContext
from inspector.core.rules.rule import CHAT_FAMILY, Remark, read_choices, rule, times
from inspector.core.rules.traits import Trait
from inspector.core.tokens.inclusion import COUNT_NAMES, InclusionBasis
from inspector.core.tokens.invariants import TOTAL, TOTAL_RULE, LedgerLine
from inspector.core.tokens.ledger import UsageLedgerEntry, ledger_entries, odd_counts
from inspector.core.tokens.usage import TOO_MANY_TOKENS, is_count

CUMULATIVE = frozenset({"anthropic"})
"""The formats that promise counts that only grow within an answer."""


def _at(usage: Usage, pointer: str | None = None) -> Where:
    """A place in the body, or in the chunk with the usage."""
    event = usage.found_at if isinstance(usage.found_at, int) else None
    return Where(event=event, pointer=usage.pointer if pointer is None else pointer)


def _entry(context: RuleContext, name: str) -> UsageLedgerEntry | None:
    found = (entry for _, entry in ledger_entries(context.ledger) if entry.name == name)
    return next(found, None)


def _at_count(context: RuleContext, name: str) -> Where:
    entry = _entry(context, name)
    return _at(context.usage, entry.pointer if entry else None)


def _wire_name(context: RuleContext, name: str) -> str:
    """The name by which the count was sent; ours for a sum."""
    entry = _entry(context, name)
    return entry.wire_name if entry else name


def _count_with_value(context: RuleContext, line: LedgerLine) -> Remark:
    sums = "".join(f" {_sum_words(entry)}." for entry in _sums_in(context, line))
    message = f"{line.sentence} does not hold: {line.why}.{sums}"
    return message, _at_count(context, line.whole)


def _sums_in(context: RuleContext, line: LedgerLine) -> Iterator[UsageLedgerEntry]:
    entries = (entry for name in line.counts if (entry := _entry(context, name)))
    return (entry for entry in entries if entry.summands)


def _sum_words(entry: UsageLedgerEntry) -> str:
    """``prompt is 3 input_tokens + 2,048 cache_read_input_tokens``."""
    summands = (f"{each.count:,} {each.wire_name}" for each in entry.summands)
    return f"{COUNT_NAMES[entry.name]} is {' + '.join(summands)}"


def _object_name(usage: Usage) -> str:
    """The name of the usage object: ``usage``, ``usageMetadata``."""
    return next(reversed(steps_of(usage.pointer)), "usage")


SHORTENING_VERDICTS = frozenset(
    {
        Verdict.CAPPED,
        Verdict.CLIENT_CANCELLED,
        Verdict.CUT_OFF,
        Verdict.ELIDED,
        Verdict.UPSTREAM_ERROR,
    }
)
"""Verdicts on streams whose end is not known."""


@rule(
    "usage.missing",
    Severity.INFO,
    formats=CHAT_FAMILY | {"openai-responses"},
    at_end=True,
    when=Trait.NO_USAGE,
)
def missing(context: RuleContext) -> Iterator[Remark]:
    """No usage was sent; in a stream it must be requested (stream_options.include_usage).
    Tokens and cost are unknown, not zero.
    """
    if (
        context.has_envelope
        and (context.usage_table is CHAT_USAGE or context.verdict is Verdict.COMPLETE)
        and context.fragment is None
        and not context.usage.reported
        and (not _is_null_only(context) or context.usage_table is not CHAT_USAGE)
        and not _is_asked_for(context)
    ):
        yield "No usage was sent: tokens and cost are unknown.", Where(pointer="/usage")


@rule("usage.null-only", Severity.INFO, formats=CHAT_FAMILY, at_end=True, when=Trait.NO_USAGE)
def null_only(context: RuleContext) -> Iterator[Remark]:
    """A stream announces usage with null and never sends it.
    Clients that wait for the counts get none.
    """
    if (
        context.is_answer
        and context.choices
        and _is_null_only(context)
        and not _is_asked_for(context)
    ):
        message = "Usage was only sent as null: tokens and cost are unknown."
        yield message, Where(pointer="/usage")


@rule(
    "usage.asked-not-sent",
    Severity.WARNING,
    formats=CHAT_FAMILY,
    at_end=True,
    when=Trait.REQUEST_KNOWN,
)
def asked_not_sent(context: RuleContext) -> Iterator[Remark]:
    """The request asks for usage (stream_options.include_usage), and a finished stream has none.
    Tokens and cost are unknown, not zero.
    """
    if context.is_answer and _is_asked_for(context) and not context.usage.reported:
        message = "The request asks for usage (stream_options.include_usage); none was sent."
        yield message, Where(pointer="/usage")


def _is_asked_for(context: RuleContext) -> bool:
    """True if a stream with usage was requested, and the stream was read to its end."""
    if context.request_params is None or not context.request_params.wants_usage:
        return False
    # The chunk with usage comes last: whoever closes the stream before it has not waited for it.
    is_whole = context.verdict not in SHORTENING_VERDICTS
    return is_whole and context.streamed and context.has_finish and not context.usage.extras


def _is_null_only(context: RuleContext) -> bool:
    is_told = context.usage.reported or context.usage.extras
    return context.streamed and "usage" in context.top and not is_told


@rule("usage.not-a-count", Severity.WARNING, when=Trait.USAGE_EXTRAS)
def not_a_count(context: RuleContext) -> Iterator[Remark]:
    """A count is not a whole number of 0 or more.
    Sums of it are wrong or fail.
    """
    if "" in context.usage.extras:
        yield (
            f"{_object_name(context.usage)} is {shorten_quoted(context.usage.extras[''])}, "
            "which is not a count.",
            _at(context.usage),
        )
    for pointer, sent in context.usage.extras.items():
        if sent is not None and not is_count(sent) and is_place(context.usage_table, pointer):
            at = _at(context.usage, context.usage.pointer + pointer)
            yield f"{pointer[1:]} is {shorten_quoted(sent)}, which is not a count.", at


@rule("usage.details-malformed", Severity.WARNING, when=Trait.USAGE_EXTRAS)
def details_malformed(context: RuleContext) -> Iterator[Remark]:
    """A breakdown of a count (``prompt_tokens_details``) is no object.
    Typed clients fail, and the breakdown is unknown.
    """
    for pointer, sent in context.usage.extras.items():
        if sent is not None and is_breakdown(context.usage_table, pointer):
            at = _at(context.usage, context.usage.pointer + pointer)
            yield f"{pointer[1:]} is {type_word(sent)}, not an object: {shorten_quoted(sent)}.", at


@rule("usage.count-missing", Severity.INFO, at_end=True, when=Trait.COUNT_UNUSUAL)
def count_missing(context: RuleContext) -> Iterator[Remark]:
    """Usage lacks the prompt, completion or total count of its format, or has it only at the start.
    Sums of it are wrong or fail.
    """
    if not context.is_answer or not context.usage.reported:
        return
    odd, alternatives = odd_counts(context.usage), alternatives_of(context.usage_table)
    for name in context.usage_table.always:
        sent = getattr(context.usage, name)
        place = context.usage.places.get(name, USUAL_POINTERS[name])
        wire_name = context.usage_table.wire_name(name)
        is_elsewhere = place != f"/{wire_name}" and (name, place) in alternatives and known(sent)
        if not is_elsewhere and (known(sent) or (sent is UNSET and name in odd)):
            continue
        where = _at(context.usage, f"{context.usage.pointer}/{wire_name}")
        early = context.usage.extras.get(f"/{wire_name}")
        if is_elsewhere:
            words = f"{_object_name(context.usage)} has no {wire_name}, but {place[1:]}"
            yield f"{words}, which is read as that.", where
        elif isinstance(early, int):
            yield f"{_preliminary(wire_name, early)}; no final count came.", where
        elif sent is None:
            yield f"{wire_name} is null.", where
        else:
            yield f"{_object_name(context.usage)} has no {wire_name}.", where


def _preliminary(wire_name: str, count: int) -> str:
    return f"The {wire_name} of {count:,} is preliminary: it was stated before the answer began"


@rule("usage.over-token-limit", Severity.WARNING, formats=CHAT_FAMILY, when=Trait.REQUEST_KNOWN)
def over_token_limit(context: RuleContext) -> Iterator[Remark]:
    """More completion tokens were counted than the request allows (max_tokens).
    Limits of length and cost do not hold.
    """
    limit = context.request_params.token_limit if context.request_params else None
    count = context.usage.completion_tokens
    choices = len(read_choices(context))
    if limit is None or not choices:
        return
    allowed = limit * choices
    if isinstance(count, int) and count > allowed:
        tokens = "token" if allowed == 1 else "tokens"
        limit_words = f"The request allows {allowed:,} completion {tokens}"
        yield f"{limit_words}; {count:,} were counted.", _at_count(context, "completion_tokens")


@rule("usage.count-too-large", Severity.WARNING, when=Trait.USAGE)
def count_too_large(context: RuleContext) -> Iterator[Remark]:
    """A count is 1,000,000,000 or more: no model reads or writes so many tokens.
    Sums of it are wrong; sums and costs here leave it out.
    """
    for name, count in context.ledger.numbers.items():
        if count >= TOO_MANY_TOKENS:
            message = f"{_wire_name(context, name)} is {count:,}: no model uses so many tokens."
            yield message, _at_count(context, name)


@rule(TOTAL_RULE, Severity.WARNING, when=Trait.SUMS_BROKEN)
def total_mismatch(context: RuleContext) -> Iterator[Remark]:
    """The total is not prompt plus completion, as all formats define it that have a total.
    Costs by the total are wrong.
    """
    for line in context.ledger.broken:
        if line.name == TOTAL:
            yield _count_with_value(context, line)


@rule("usage.part-exceeds-whole", Severity.WARNING, when=Trait.SUMS_BROKEN)
def part_exceeds_whole(context: RuleContext) -> Iterator[Remark]:
    """A part is larger than the count that includes it.
    Subtracting one from the other gives a negative number.
    """
    for line in context.ledger.broken:
        if line.relation == "≤":
            yield _count_with_value(context, line)


@rule("usage.parts-mismatch", Severity.WARNING, when=Trait.SUMS_BROKEN)
def parts_mismatch(context: RuleContext) -> Iterator[Remark]:
    """Parts do not add up to their total, although this vendor promises it.
    Costs by part are wrong.
    """
    for line in context.ledger.broken:
        if line.relation == "=" and line.name != TOTAL and line.is_promised:
            yield _count_with_value(context, line)


@rule("usage.parts-differ", Severity.INFO, when=Trait.SUMS_BROKEN)
def parts_differ(context: RuleContext) -> Iterator[Remark]:
    """Parts do not add up to their total; other vendors' do, this one does not promise it.
    Costs by part may be wrong.
    """
    for line in context.ledger.broken:
        if line.relation == "=" and line.name != TOTAL and not line.is_promised:
            yield _count_with_value(context, line)


@rule("usage.counted-beside", Severity.INFO, when=Trait.USAGE)
def counted_beside(context: RuleContext) -> Iterator[Remark]:
    """The counts add up only if a part is not included in its total; the vendor is not known.
    Costs by prompt and completion alone leave that part out.
    """
    for each in context.ledger.inclusions:
        if each.basis is InclusionBasis.NUMBERS:
            yield f"The counts add up {each.why}.", _at_count(context, each.part)


@rule("usage.stated-twice", Severity.INFO, when=Trait.USAGE_EXTRAS)
def stated_twice(context: RuleContext) -> Iterator[Remark]:
    """Two fields of the usage object report different numbers for one count.
    Clients that read the other field get another number.
    """
    counts, extras = context.ledger.counts, context.usage.extras
    for name, pointer in alternatives_of(context.usage_table):
        if pointer not in extras:
            continue
        held, other = counts[name], extras[pointer]
        # Gateways fill fields of other formats with zeros.
        if other and is_count(other) and is_count(held) and other != held:
            at = _at(context.usage, context.usage.pointer + pointer)
            yield f"{name} is {held:,}, but {pointer} is {other:,}.", at


@rule("usage.repeated", Severity.WARNING, when=Anomaly.USAGE_REPEATED)
def repeated(context: RuleContext) -> Iterator[Remark]:
    """Usage was sent again with counts that do not continue the earlier ones; the last one is used.
    Clients that take the first, or add them up, get another number.
    """
    note = context.notes.first(Anomaly.USAGE_REPEATED)
    if context.is_answer and note is not None:
        count = context.notes.count(Anomaly.USAGE_REPEATED)
        yield f"Usage was sent again with other counts{times(count)}.", note.where


@rule("usage.cumulative", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.USAGE_GROWN)
def cumulative(context: RuleContext) -> Iterator[Remark]:
    """Usage was sent several times, each time including the counts before.
    Clients that add them up count too much.
    """
    note = context.notes.first(Anomaly.USAGE_GROWN)
    if context.is_answer and note is not None:
        count = context.notes.count(Anomaly.USAGE_GROWN)
        yield f"Usage was sent again with larger counts{times(count)}.", note.where


@rule("usage.in-parts", Severity.INFO, formats=CHAT_FAMILY, when=Anomaly.USAGE_IN_PARTS)
def in_parts(context: RuleContext) -> Iterator[Remark]:
    """Usage was sent again without counts that came before; those are kept.
    Clients that take the last one lack them.
    """
    for note, count in context.notes.by_subject(Anomaly.USAGE_IN_PARTS):
        yield f"Usage was sent again without {note.subject}{times(count)}.", note.where


@rule("usage.fell", Severity.WARNING, formats=CUMULATIVE, when=Anomaly.USAGE_FELL)
def fell(context: RuleContext) -> Iterator[Remark]:
    """A token count that only grows within an answer became smaller; the last one is used.
    Clients that take the first, or the largest, get another number.
    """
    for note, count in context.notes.by_subject(Anomaly.USAGE_FELL):
        yield f"{note.subject} fell: {note.detail}{times(count)}.", note.where


@rule("usage.on-choice", Severity.INFO, when=Anomaly.USAGE_ON_CHOICE)
def on_choice(context: RuleContext) -> Iterator[Remark]:
    """Usage was sent on a choice instead of at the top level (WorkflowAI's reference, streams).
    Clients that read it at the top level get none.
    """
    note = context.notes.first(Anomaly.USAGE_ON_CHOICE)
    if note is not None:
        yield "Usage was sent on a choice.", note.where


@rule("usage.in-vendor-object", Severity.INFO, formats=CHAT_FAMILY, when=Trait.USAGE_ELSEWHERE)
def in_vendor_object(context: RuleContext) -> Iterator[Remark]:
    """Usage was sent only inside an object of the vendor (Groq's x_groq in streams).
    Clients that read it at the top level get none.
    """
    pointer, wrapped = context.usage.pointer, context.notes.first(Anomaly.WRAPPED)
    inside = pointer.removeprefix(wrapped.subject) if wrapped else pointer
    is_usual = inside == "/usage" or inside.startswith("/choices/")
    if context.has_envelope and context.usage.reported and not is_usual:
        yield f"Usage was sent only at {shorten(pointer)}.", _at(context.usage)


@rule("usage.before-last-chunk", Severity.INFO, formats=CHAT_FAMILY, at_end=True, when=Trait.USAGE)
def before_last_chunk(context: RuleContext) -> Iterator[Remark]:
    """Usage came before the last chunk of the stream.
    Clients that read it from the last chunk get none.
    """
    event = context.usage.found_at
    if (
        context.is_answer
        and context.streamed
        and isinstance(event, int)
        and event < context.last_event
    ):
        yield "Chunks came after the chunk with usage.", _at(context.usage)


@rule("usage.rejected-prediction", Severity.INFO, when=Trait.USAGE)
def rejected_prediction(context: RuleContext) -> Iterator[Remark]:
    """Rejected prediction tokens count as completion tokens (OpenAI's completions reference).
    They are billed, and count against the limits.
    """
    rejected = context.usage.rejected_prediction_tokens
    if isinstance(rejected, int) and rejected > 0:
        message = f"The completion tokens include {rejected:,} rejected prediction tokens."
        yield message, _at_count(context, "rejected_prediction_tokens")


@rule("usage.completion-not-counted", Severity.WARNING, when=Trait.USAGE)
def completion_not_counted(context: RuleContext) -> Iterator[Remark]:
    """The completion count is 0, although the answer has content.
    Sums of tokens and cost leave this answer out.
    """
    if context.usage.completion_tokens == 0 and any(c.says_something for c in context.choices):
        name = _wire_name(context, "completion_tokens")
        message = f"{name} is 0, but the answer has content."
        yield message, _at_count(context, "completion_tokens")


@rule("usage.service-tier", Severity.INFO, when=Trait.REQUEST_KNOWN)
def service_tier(context: RuleContext) -> Iterator[Remark]:
    """Another service tier was used than the requested one.
    Price and speed may be those of the other tier.
    """
    used = context.service_tier.used if context.service_tier else None
    asked = context.request_params.tier if context.request_params else None
    if asked is not None and isinstance(used, str) and used != asked:
        message = f"The request asks for service tier {shorten(asked)}; {shorten(used)} was used."
        yield message, Where(pointer="/service_tier")


@rule("usage.service-tier-missing", Severity.INFO, at_end=True, when=Trait.REQUEST_KNOWN)
def service_tier_missing(context: RuleContext) -> Iterator[Remark]:
    """The request sets a service tier; WorkflowAI's reference then names the one used, but none is.
    Price and speed may be those of another tier.
    """
    params = context.request_params
    if params is None or not params.names_tier or not context.has_envelope:
        return
    if context.service_tier is None and not _is_odd_tier(context):
        message = "The request sets a service tier; the answer does not name the one used."
        yield message, Where(pointer="/service_tier")


@rule("usage.service-tier-malformed", Severity.WARNING, when=Trait.TIER)
def service_tier_malformed(context: RuleContext) -> Iterator[Remark]:
    """``service_tier`` is neither a text nor null.
    Typed clients fail.
    """
    if context.is_answer and _is_odd_tier(context):
        word = type_word(context.top["service_tier"])
        yield f"service_tier is {word}, not a text.", Where(pointer="/service_tier")


@rule("usage.service-tier-unknown", Severity.INFO, formats=CHAT_FAMILY, when=Trait.TIER)
def service_tier_unknown(context: RuleContext) -> Iterator[Remark]:
    """A service tier that neither the references nor the vendors are known to use.
    Prices by tier have none for it.
    """
    used = context.service_tier.used if context.service_tier else None
    if context.is_answer and isinstance(used, str) and used not in KNOWN_WORDS:
        yield f"The service tier {shorten(used)!r} is not known.", Where(pointer="/service_tier")


def _is_odd_tier(context: RuleContext) -> bool:
    sent = context.top.get("service_tier")
    return sent is not None and not isinstance(sent, str)
