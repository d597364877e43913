"""Words for drift events. Names come from outside, so each is a part of its own and truncated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from inspector.formatting.humanize import share
from inspector.usage.drift.changes import DriftDirection
from inspector.usage.drift.detection import DriftSubject
from inspector.usage.drift.event_list import DriftEventRow

NAME_CHARACTERS = 80
MAX_NAMES = 3
SUBJECT_WORDS = {DriftSubject.FINGERPRINT: "fingerprint", DriftSubject.TIER: "service tier"}
NO_MODEL = "an answer that names no model"


@dataclass(frozen=True, slots=True)
class SentencePart:
    """``whole`` is the untruncated name if the part is one."""

    text: str
    whole: str = ""


def drift_sentence(marks: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    """Describes events of one subject of one model that began together in the same direction."""
    first = marks[0]
    match first.subject:
        case DriftSubject.KEYS | DriftSubject.USAGE:
            yield from _keys(marks)
        case DriftSubject.ALIAS:
            yield from _alias(marks)
        case DriftSubject.FINISH:
            yield from _finish(marks)
        case DriftSubject.FIRST_TOKEN:
            yield from _first_token(first)
        case _:
            yield from _value(marks)
    yield SentencePart(".")


def captures_heading(mark: DriftEventRow) -> str:
    return "Last captures" if mark.direction == DriftDirection.VANISHED else "First captures"


def name_part(text: str, shown: str | None = None) -> SentencePart:
    short = text if shown is None else shown
    return SentencePart(
        short if len(short) <= NAME_CHARACTERS else f"{short[: NAME_CHARACTERS - 1]}…", text
    )


def _model(mark: DriftEventRow) -> SentencePart:
    return name_part(mark.model) if mark.model is not None else SentencePart("no named model")


def _names(texts: Sequence[str], shown: Callable[[str], str] = str) -> Iterator[SentencePart]:
    for at, text in enumerate(texts[:MAX_NAMES]):
        if at:
            is_last = at == len(texts) - 1
            yield SentencePart(" and " if is_last else ", ")
        yield name_part(text, shown(text))
    if len(texts) > MAX_NAMES:
        yield SentencePart(f" and {len(texts) - MAX_NAMES:,} more")


def _keys(marks: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    """Names changed keys by their last path segment; a path stands for those below it."""
    paths = {mark.what for mark in marks if mark.what is not None}
    roots = sorted(path for path in paths if not _has_above(path, paths))
    yield from _names(roots, _last_step)
    below = len(paths) - len(roots)
    if below:
        yield SentencePart(f", with {below:,} {'key' if below == 1 else 'keys'} below,")
    is_new = marks[0].direction == DriftDirection.APPEARED
    place = "the usage" if marks[0].subject == DriftSubject.USAGE else "answers"
    yield SentencePart(f" {'appeared in' if is_new else 'vanished from'} {place} of ")
    yield _model(marks[0])


def _has_above(path: str, paths: set[str]) -> bool:
    steps = path.split("/")
    return any("/".join(steps[:end]) in paths for end in range(2, len(steps)))


def _last_step(path: str) -> str:
    return path.rpartition("/")[2].replace("~1", "/").replace("~0", "~") or path


def _value(marks: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    first, named = marks[0], SUBJECT_WORDS[DriftSubject(marks[0].subject)]
    if len(marks) == 1 and first.replaces_value:
        yield SentencePart(f"{named.capitalize()} of ")
        yield _model(first)
        yield SentencePart(" changed from ")
        yield _value_part(first.replaces)
        yield SentencePart(" to ")
        yield _value_part(first.what)
        return
    is_new = first.direction == DriftDirection.APPEARED
    if len(marks) == 1 and first.what is None:
        yield SentencePart(
            f"Some answers without a {named} came from "
            if is_new
            else f"No answer without a {named} came any more from "
        )
        yield _model(first)
        return
    yield SentencePart(f"{named.capitalize()} ")
    yield from _names([mark.what for mark in marks if mark.what is not None])
    yield SentencePart(" appeared in answers of " if is_new else " vanished from answers of ")
    yield _model(first)


def _value_part(value: str | None) -> SentencePart:
    return SentencePart("none sent") if value is None else name_part(value)


def _alias(marks: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    first = marks[0]
    is_new = first.direction == DriftDirection.APPEARED
    replaces_value = len(marks) == 1 and first.replaces_value
    yield _model(first)
    verb = "is" if replaces_value else "is also" if is_new else "is no longer"
    yield SentencePart(f" {verb} answered by ")
    named = [mark.what for mark in marks if mark.what is not None]
    yield from _names(named) if named else [SentencePart(NO_MODEL)]
    if replaces_value:
        yield SentencePart(" instead of ")
        yield SentencePart(NO_MODEL) if first.replaces is None else name_part(first.replaces)


def _finish(marks: Sequence[DriftEventRow]) -> Iterator[SentencePart]:
    first = marks[0]
    yield SentencePart("Finish reason ")
    yield from _names([mark.what for mark in marks if mark.what is not None])
    before, since = (share(side.value, side.captures) for side in (first.before, first.since))
    yield SentencePart(f" rose from {before} to {since} in answers of ")
    yield _model(first)


def _first_token(mark: DriftEventRow) -> Iterator[SentencePart]:
    rose = "rose" if mark.direction == DriftDirection.SLOWER else "fell"
    before, since = (f"{side.value / 1_000_000:.2f} s" for side in (mark.before, mark.since))
    yield SentencePart("First token of ")
    yield _model(mark)
    yield SentencePart(f" {rose} from {before} to {since} at the median")
