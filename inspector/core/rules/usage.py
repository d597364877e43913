"""Whether the token counts are counts, and whether they add up."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.completion import Usage, known
from inspector.core.facts import Facts
from inspector.core.findings import Severity, Where
from inspector.core.notes import Oddity
from inspector.core.rules.rule import Remark, rule, times
from inspector.core.usage import PLACES

PARTS = (
    ("cached_tokens", "prompt_tokens"),
    ("prompt_audio_tokens", "prompt_tokens"),
    ("cache_write_tokens", "prompt_tokens"),
    ("prompt_cache_hit_tokens", "prompt_tokens"),
    ("prompt_cache_miss_tokens", "prompt_tokens"),
    ("prompt_text_tokens", "prompt_tokens"),
    ("prompt_image_tokens", "prompt_tokens"),
    ("reasoning_tokens", "completion_tokens"),
    ("completion_text_tokens", "completion_tokens"),
    ("completion_image_tokens", "completion_tokens"),
    ("completion_audio_tokens", "completion_tokens"),
)
COUNT_PLACES = frozenset("/" + "/".join(place) for places in PLACES.values() for place in places)


def _at(usage: Usage, pointer: str = "") -> Where:
    if isinstance(usage.found_at, int):
        return Where(event=usage.found_at, pointer=f"/usage{pointer}")
    return Where(pointer=f"{usage.found_at or '/usage'}{pointer}")


def _reasoning_is_apart(facts: Facts) -> bool:
    return facts.vendor is not None and facts.vendor.reasoning_is_apart


@rule("usage.missing", Severity.INFO, at_end=True)
def missing(facts: Facts) -> Iterator[Remark]:
    """No usage was sent (003: usual on whole answers; in a stream it must be asked for).
    Whoever adds up cost: it is unknown, not zero.
    """
    if facts.is_read and facts.choices and not facts.usage.reported:
        yield "No usage was sent: tokens and cost are unknown.", Where(pointer="/usage")


@rule("usage.not-a-count", Severity.WARNING)
def not_a_count(facts: Facts) -> Iterator[Remark]:
    """A count is no whole number of zero or more.
    Whoever adds it up.
    """
    for pointer, value in facts.usage.extras.items():
        if pointer in COUNT_PLACES or pointer == "":
            shown = str(value)[:40]
            yield f"{pointer[1:] or 'usage'} is {shown!r}: not a count.", _at(facts.usage, pointer)


@rule("usage.total-mismatch", Severity.WARNING)
def total_mismatch(facts: Facts) -> Iterator[Remark]:
    """The total is not prompt plus completion, as 000, 001 and 002 define it.
    Whoever bills by the total.
    """
    usage = facts.usage
    prompt, completion, total = usage.prompt_tokens, usage.completion_tokens, usage.total_tokens
    if not (known(prompt) and known(completion) and known(total)):
        return
    missing = total - prompt - completion  # type: ignore[operator]
    if missing and not (_reasoning_is_apart(facts) and missing == usage.reasoning_tokens):
        message = f"{prompt:,} + {completion:,} is not {total:,}."
        yield message, _at(usage, "/total_tokens")


@rule("usage.part-exceeds-whole", Severity.WARNING)
def part_exceeds_whole(facts: Facts) -> Iterator[Remark]:
    """A part is larger than the count it is a part of.
    Whoever subtracts one from the other.
    """
    for part_name, whole_name in PARTS:
        if part_name == "reasoning_tokens" and _reasoning_is_apart(facts):
            continue
        part, whole = getattr(facts.usage, part_name), getattr(facts.usage, whole_name)
        if known(part) and known(whole) and part > whole:
            yield f"{part_name} {part:,} exceeds {whole_name} {whole:,}.", _at(facts.usage)


@rule("usage.repeated", Severity.INFO)
def repeated(facts: Facts) -> Iterator[Remark]:
    """Usage was sent several times with different counts; the last one holds.
    Clients that add them up.
    """
    note = facts.notes.first(Oddity.USAGE_REPEATED)
    if facts.is_read and note is not None:
        count = facts.notes.count(Oddity.USAGE_REPEATED)
        yield f"Usage was sent again with other counts{times(count)}.", note.where


@rule("usage.on-choice", Severity.INFO)
def on_choice(facts: Facts) -> Iterator[Remark]:
    """Usage stands on a choice instead of beside the choices (000 does so in streams).
    Clients that look for it at the top level.
    """
    note = facts.notes.first(Oddity.USAGE_ON_CHOICE)
    if note is not None:
        yield "Usage stands on a choice.", note.where
