"""Words for drift events and their tests. Names come from outside, so each is a part of its own and
truncated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from inspector.formatting.humanize import plural
from inspector.usage.drift.changes import ChangeSide, DriftDirection, DriftTest
from inspector.usage.drift.detection import DriftSubject
from inspector.usage.drift.event_list import DriftEventRow

NAME_CHARACTERS = 80
"""Names of fields and models come from the wire, of any length."""
MAX_NAMES = 3
"""It is one sentence; the event has all of them."""
SUBJECT_WORDS = {DriftSubject.FINGERPRINT: "fingerprint", DriftSubject.TIER: "service tier"}
NO_MODEL = "an answer without a model name"


@dataclass(frozen=True, slots=True)
class SentencePart:
    """``whole`` is the untruncated name if the part is one."""

    text: str
    whole: str = ""


def drift_sentence(events: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    """Describe events of one subject of one model that began together in the same direction."""
    first = events[0]
    match first.subject:
        case DriftSubject.FIELDS | DriftSubject.USAGE:
            yield from _fields(events)
        case DriftSubject.ALIAS:
            yield from _alias(events)
        case _:
            yield from _value(events)
    yield SentencePart(".")


def captures_heading(event: DriftEventRow) -> str:
    return "Last captures" if event.direction == DriftDirection.VANISHED else "First captures"


def name_part(text: str, shown: str | None = None) -> SentencePart:
    short = text if shown is None else shown
    return SentencePart(
        short if len(short) <= NAME_CHARACTERS else f"{short[: NAME_CHARACTERS - 1]}…", text
    )


def _model(event: DriftEventRow) -> SentencePart:
    return name_part(event.model) if event.model is not None else SentencePart("no named model")


def _names(texts: Sequence[str], shown: Callable[[str], str] = str) -> Iterator[SentencePart]:
    for at, text in enumerate(texts[:MAX_NAMES]):
        if at:
            is_last = at == len(texts) - 1
            yield SentencePart(" and " if is_last else ", ")
        yield name_part(text, shown(text))
    if len(texts) > MAX_NAMES:
        yield SentencePart(f" and {len(texts) - MAX_NAMES:,} more")


def _fields(events: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    """Names changed fields by their last path segment; a path stands for those below it."""
    paths = {event.value for event in events if event.value is not None}
    roots = sorted(path for path in paths if not _has_above(path, paths))
    yield from _names(roots, _last_step)
    below = len(paths) - len(roots)
    if below:
        yield SentencePart(f", with {below:,} {'field' if below == 1 else 'fields'} below,")
    is_new = events[0].direction == DriftDirection.APPEARED
    place = "the usage" if events[0].subject == DriftSubject.USAGE else "answers"
    yield SentencePart(f" {'appeared in' if is_new else 'vanished from'} {place} of ")
    yield _model(events[0])


def _has_above(path: str, paths: set[str]) -> bool:
    steps = path.split("/")
    return any("/".join(steps[:end]) in paths for end in range(2, len(steps)))


def _last_step(path: str) -> str:
    return path.rpartition("/")[2].replace("~1", "/").replace("~0", "~") or path


def _value(events: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    first, named = events[0], SUBJECT_WORDS[DriftSubject(events[0].subject)]
    if len(events) == 1 and first.replaces_value:
        yield SentencePart(f"{named.capitalize()} of ")
        yield _model(first)
        yield SentencePart(" changed from ")
        yield _value_part(first.replaced_value)
        yield SentencePart(" to ")
        yield _value_part(first.value)
        return
    is_new = first.direction == DriftDirection.APPEARED
    if len(events) == 1 and first.value is None:
        yield SentencePart(
            f"Some answers without a {named} came from "
            if is_new
            else f"No answer without a {named} came any more from "
        )
        yield _model(first)
        return
    yield SentencePart(f"{named.capitalize()} ")
    yield from _names([event.value for event in events if event.value is not None])
    yield SentencePart(" appeared in answers of " if is_new else " vanished from answers of ")
    yield _model(first)


def _value_part(value: str | None) -> SentencePart:
    return SentencePart("none sent") if value is None else name_part(value)


def _alias(events: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    first = events[0]
    is_new = first.direction == DriftDirection.APPEARED
    is_replacement = len(events) == 1 and first.replaces_value
    yield _model(first)
    verb = "is" if is_replacement else "is also" if is_new else "is no longer"
    yield SentencePart(f" {verb} answered by ")
    named = [event.value for event in events if event.value is not None]
    yield from _names(named) if named else [SentencePart(NO_MODEL)]
    if is_replacement:
        yield SentencePart(" instead of ")
        yield (
            SentencePart(NO_MODEL)
            if first.replaced_value is None
            else name_part(first.replaced_value)
        )


# -- tests ----------------------------------------------------------------------------------------


def drift_test_words(event: DriftEventRow) -> str:
    """Return the test that shows a change, and the one that shows the replaced value gone."""
    words = _test_words(event.test)
    if event.replaced_test is None:
        return words
    return f"{words}. Replaced value: {_test_words(event.replaced_test)}"


def _test_words(test: DriftTest) -> str:
    before, since = _side_words(test.before), _side_words(test.since)
    name = f"Fisher's exact test, {p_value_words(test.p_value)}"
    return f"{name}: {before} in the previous 7 days, {since} since"


def _side_words(side: ChangeSide) -> str:
    """``12 of 30 captures``."""
    number = f"{side.value:,}" if side.value else "none"
    return f"{number} of {plural(side.captures, 'capture')}"


def p_value_words(p_value: float) -> str:
    """``p = 2e-09``; ``p < 1e-300`` for values below the range of floats."""
    if p_value < 1e-300:
        return "p < 1e-300"
    return f"p = {p_value:.0e}" if p_value < 0.001 else f"p = {p_value:.3f}"
