"""Sentences for the notes of a cost: what was assumed, and what makes a cost unknown."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from string import Formatter
from typing import Any

from inspector.core.tokens.inclusion import COUNT_NAMES
from inspector.core.vendors import vendor_named
from inspector.dashboard.text.cost_labels import kind_words
from inspector.usage.cost.money import dollars
from inspector.usage.cost.notes import MAX_SENT_CHARACTERS, CostNote, JsonType, SentValue
from inspector.usage.cost.notes import CostNoteCode as Code

SENTENCES: Mapping[str, str] = {
    Code.USAGE_NOT_AN_OBJECT: "usage is {sent:sent}, not an object",
    Code.NOT_A_COUNT: "{field} is {sent:sent}, not a token count",
    Code.COUNT_NULL: "{field} is null",
    Code.COUNT_NOT_SENT: "{field} was not sent",
    Code.COUNT_TOO_LARGE: "{count:,} {kind:kind} tokens are more than any model handles",
    Code.PART_EXCEEDS_WHOLE: (
        "{part_count:,} {part:kind} tokens exceed the {whole_count:,} {whole:kind} tokens that"
        " include them"
    ),
    Code.PARTS_EXCEED_WHOLE: (
        "{parts:kinds} tokens ({part_counts:sum}) together exceed the {whole_count:,} {whole:kind}"
        " tokens that include them; how many are counted as both was not sent"
    ),
    Code.COST_TOO_LARGE: "{usd:usd} is more than any response costs",
    Code.NO_VENDOR_PRICES: "{table} has no prices for {vendor:vendor}",
    Code.NO_MODEL_PRICE: "no price is known for {model:quoted} at {vendor:vendor} ({table})",
    Code.NO_MAKER: "no price is known for {model:quoted}: {vendor:seller} ({table})",
    Code.SEVERAL_MAKERS: "{vendor:seller}, and several make model {model:quoted}: {makers:names}",
    Code.TIERS_CONTRADICT: (
        "two service tiers are stated: {tiers[0]:quoted} beside the choices, {tiers[1]:quoted} in"
        " usage"
    ),
    Code.TIER_NOT_A_STRING: "the service tier is {sent:sent}, not a string",
    Code.NO_TIER_PRICE: "{table} has no price for service tier {tier:quoted}",
    Code.NO_TIER_PRICE_YET: "{table} has no price for service tier {tier:quoted} on that day",
    Code.AUDIO_PRICED_BY_HOUR: "{table} prices audio of model {model:quoted} by the hour",
    Code.NO_RATE: "{table} has no rate for {kind:kind} tokens of model {model:quoted}",
    Code.FACTS_NOT_DECODED: "the token counts were stored by a later release",
    Code.NAMES_DISAGREE: (
        "one count has two values: {field} {count:,}, {other_field} {other_count:,}"
    ),
    Code.COUNTED_OUTSIDE: (
        "{part:count} is counted separately from {whole:count} by {vendor:vendor}"
    ),
    Code.COUNTED_OUTSIDE_TOTAL: (
        "{part:count} is counted separately from {whole:count} by {vendor:vendor}, and not in the"
        " total"
    ),
    Code.FITS_OUTSIDE: (
        "{part:count} is counted separately from {whole:count}: the counts only add up this way"
    ),
    Code.FITS_OUTSIDE_AGAINST_DOCUMENTS: (
        "the counts only add up if {part:count} is counted separately from {whole:count}"
    ),
    Code.ASSUMED_INSIDE: (
        "{part:count} is assumed to be part of {whole:count}; the counts fit either way"
    ),
    Code.EXCLUDED: "not included in the cost: {field} ({count:,})",
    Code.PAID_WITH_REQUEST: "assumed to be included in the request price: {field} ({count:,})",
    Code.MODEL_OF_REQUEST: "the response names no model; priced as the requested one",
    Code.LAST_TIER_TAKEN: (
        "the service tier was also stated as {tiers:quoted}; priced as {tier:quoted}, stated last"
    ),
    Code.TIER_AUTO: "service tier auto names no tier; priced as the default tier",
    Code.PRICES_OF_MAKER: (
        "no separate price for {vendor:vendor}; the price of the model's maker applies"
    ),
    Code.PRICED_AS_AT_MAKER: "{vendor:seller}; priced as at {maker}, the model's maker",
    Code.LONG_PROMPT: "rates for prompts over {tokens:,} tokens",
    Code.OVERRIDE_OF_STANDARD_TIER: (
        "the custom price from {starts} is for the standard tier and does not apply"
    ),
    Code.OVERRIDE_OF_ANY_TIER: "the custom price from {starts} is for any service tier",
    Code.RATE_OF_WHOLE: (
        "{count:,} {kind:kind} tokens at the {whole:kind} rate; {table} has no rate for them"
    ),
    Code.RATES_OF_DEFAULT_TIER: (
        "{kinds:kinds} at the rate of the default tier; {table} has no other"
    ),
    Code.TAKEN_AS_DISJOINT: (
        "{kinds:kinds} are assumed to be different tokens; how many are counted as both was not"
        " sent"
    ),
    Code.STATED_BY_SOME_CHOICES: "only {stated:,} of {choices:,} choices state cost_usd",
    Code.STATED_FEE_ONLY: "the stated cost is only the router's fee: the request used its own key",
    Code.STATED_NOT_AN_AMOUNT: "the stated {field} is {sent:sent}, not an amount",
    Code.STATED_NOT_ADDABLE: "the stated {field} is not an amount that can be added up",
    Code.STATED_IMPLAUSIBLE: "the stated {field} is {usd:usd}, which no response costs",
}


def cost_note_words(note: CostNote) -> str:
    """Return a clause without a full stop. A code of a later release is shown as it is."""
    sentence = SENTENCES.get(note.code)
    return note.code if sentence is None else _FORMATTER.vformat(sentence, (), note.values)


def tier_words(tiers: tuple[str | SentValue, ...]) -> str:
    """``flex``, or ``flex or default`` where either may apply; empty where none is stated."""
    return " or ".join(tier if isinstance(tier, str) else sent_words(tier) for tier in tiers)


def quote(text: str) -> str:
    """Between backticks; what cannot be seen is escaped, what is too long is cut."""
    shown = text[:MAX_SENT_CHARACTERS]
    visible = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in shown
    )
    return f"`{visible}{'…' if len(text) > MAX_SENT_CHARACTERS else ''}`"


def sent_words(sent: SentValue) -> str:
    """``-3``, ``null``, ``true``, ``the string `x```, ``an object``."""
    match sent.type:
        case JsonType.OBJECT | JsonType.ARRAY:
            return f"an {sent.type}"
        case JsonType.STRING:
            return f"the string {quote(sent.text + ('…' if sent.is_cut else ''))}"
        case JsonType.NUMBER if sent.is_cut:
            return f"an integer of more than {MAX_SENT_CHARACTERS} digits"
        case JsonType.ABSENT:
            return "missing"
    return sent.text


def _vendor(slug: str | None) -> str:
    vendor = vendor_named(slug)
    return vendor.title if vendor else slug or "an unknown vendor"


def _seller(slug: str | None) -> str:
    return f"{_vendor(slug)} is a gateway" if slug else "the vendor is unknown"


def _quoted(value: str | SentValue | tuple[str | SentValue, ...]) -> str:
    if isinstance(value, tuple):
        return " and ".join(map(_quoted, value))
    return quote(value) if isinstance(value, str) else sent_words(value)


def _kinds(kinds: tuple[str, ...]) -> str:
    return " and ".join(map(kind_words, kinds))


def _sum(counts: tuple[int, ...]) -> str:
    return " + ".join(f"{count:,}" for count in counts)


FORMATS: Mapping[str, Callable[[Any], str]] = {
    "count": lambda name: COUNT_NAMES.get(name, name),
    "kind": kind_words,
    "kinds": _kinds,
    "names": ", ".join,
    "quoted": _quoted,
    "seller": _seller,
    "sent": sent_words,
    "sum": _sum,
    "usd": lambda usd: dollars(Decimal(usd)),
    "vendor": _vendor,
}


class _NoteFormatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        words = FORMATS.get(format_spec)
        formatted: str = words(value) if words else super().format_field(value, format_spec)
        return formatted


_FORMATTER = _NoteFormatter()
