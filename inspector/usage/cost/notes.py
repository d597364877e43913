"""Notes on a cost as codes with values: what was assumed, and what exactly makes a cost unknown.

Stored and answered as they are here; words are made only where people read them
(``inspector.dashboard.text.cost_note_sentences``).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from inspector.core.json import Json

MAX_SENT_CHARACTERS = 80
"""Enough to recognise the value in the response, where it stands whole."""


class CostNoteCode(StrEnum):
    """Codes of notes; the comment beside each names its values."""

    # Why a cost is unknown.
    USAGE_NOT_AN_OBJECT = "usage_not_an_object"  # sent
    NOT_A_COUNT = "not_a_count"  # field, sent
    COUNT_NULL = "count_null"  # field
    COUNT_NOT_SENT = "count_not_sent"  # field
    COUNT_TOO_LARGE = "count_too_large"  # count, kind
    PART_EXCEEDS_WHOLE = "part_exceeds_whole"  # part, part_count, whole, whole_count
    PARTS_EXCEED_WHOLE = "parts_exceed_whole"  # parts, part_counts, whole, whole_count
    COST_TOO_LARGE = "cost_too_large"  # usd
    NO_VENDOR_PRICES = "no_vendor_prices"  # vendor, table
    NO_MODEL_PRICE = "no_model_price"  # model, vendor, table
    NO_MAKER = "no_maker"  # vendor (null: not known), model, table
    SEVERAL_MAKERS = "several_makers"  # vendor (null: not known), model, makers
    TIERS_CONTRADICT = "tiers_contradict"  # tiers: beside the choices, and in usage
    TIER_NOT_A_STRING = "tier_not_a_string"  # sent
    NO_TIER_PRICE = "no_tier_price"  # tier, table
    NO_TIER_PRICE_YET = "no_tier_price_yet"  # tier, table
    AUDIO_PRICED_BY_HOUR = "audio_priced_by_hour"  # model, table
    NO_RATE = "no_rate"  # kind, model, table
    # A later release stored the facts that the cost depends on in a form of its own.
    FACTS_NOT_DECODED = "facts_not_decoded"
    # Two names of one count, each with another number: of a billed item the larger one is taken.
    NAMES_DISAGREE = "names_disagree"  # field, count, other_field, other_count

    # What was assumed. ``part`` and ``whole`` are names of counts in usage.
    COUNTED_OUTSIDE = "counted_outside"  # vendor, part, whole
    COUNTED_OUTSIDE_TOTAL = "counted_outside_total"  # vendor, part, whole
    FITS_OUTSIDE = "fits_outside"  # part, whole
    FITS_OUTSIDE_AGAINST_DOCUMENTS = "fits_outside_against_documents"  # part, whole
    ASSUMED_INSIDE = "assumed_inside"  # part, whole
    EXCLUDED = "excluded"  # count, field
    PAID_WITH_REQUEST = "paid_with_request"  # count, field
    MODEL_OF_REQUEST = "model_of_request"
    LAST_TIER_TAKEN = "last_tier_taken"  # tiers: the others, tier
    TIER_AUTO = "tier_auto"
    PRICES_OF_MAKER = "prices_of_maker"  # vendor
    PRICED_AS_AT_MAKER = "priced_as_at_maker"  # vendor (null: not known), maker
    LONG_PROMPT = "long_prompt"  # tokens
    OVERRIDE_OF_STANDARD_TIER = "override_of_standard_tier"  # starts
    OVERRIDE_OF_ANY_TIER = "override_of_any_tier"  # starts
    RATE_OF_WHOLE = "rate_of_whole"  # count, kind, whole, table
    RATES_OF_DEFAULT_TIER = "rates_of_default_tier"  # kinds, table
    TAKEN_AS_DISJOINT = "taken_as_disjoint"  # kinds

    # What the answer states of its cost.
    STATED_BY_SOME_CHOICES = "stated_by_some_choices"  # stated, choices
    STATED_FEE_ONLY = "stated_fee_only"
    STATED_NOT_AN_AMOUNT = "stated_not_an_amount"  # field, sent
    STATED_NOT_ADDABLE = "stated_not_addable"  # field
    STATED_IMPLAUSIBLE = "stated_implausible"  # field, usd


class JsonType(StrEnum):
    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class SentValue:
    """A value from a payload that is not what is expected in its place.

    ``text`` is a string itself, of other scalars their JSON, of objects and arrays empty; at most
    80 characters, ``is_cut`` where there were more. Of longer numbers it is empty.
    """

    type: JsonType
    text: str = ""
    is_cut: bool = False


NoteValue: TypeAlias = int | str | SentValue | tuple[int | str | SentValue, ...] | None


@dataclass(frozen=True, slots=True)
class CostNote:
    """``code`` is one of ``CostNoteCode``, or of a later release."""

    code: str
    values: Mapping[str, NoteValue] = field(default_factory=dict)


def note(code: CostNoteCode, **values: NoteValue) -> CostNote:
    return CostNote(code, values)


def sent_value(value: Json) -> SentValue:
    if isinstance(value, dict | list):
        return SentValue(JsonType.OBJECT if isinstance(value, dict) else JsonType.ARRAY)
    if isinstance(value, str):
        is_cut = len(value) > MAX_SENT_CHARACTERS
        return SentValue(JsonType.STRING, value[:MAX_SENT_CHARACTERS], is_cut)
    if value is None:
        return SentValue(JsonType.NULL, "null")
    if isinstance(value, bool):
        return SentValue(JsonType.BOOLEAN, json.dumps(value))
    if isinstance(value, int | float):
        return _number(value)
    return SentValue(JsonType.ABSENT)


def _number(value: int | float) -> SentValue:
    # Python refuses to write an integer of thousands of digits.
    if isinstance(value, int) and abs(value) >= 10**MAX_SENT_CHARACTERS:
        return SentValue(JsonType.NUMBER, is_cut=True)
    return SentValue(JsonType.NUMBER, json.dumps(value))
