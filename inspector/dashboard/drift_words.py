"""A change in a sentence. Names come from outside: each is a part of its own, and cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from inspector.dashboard.usage_words import share
from inspector.usage.changes import Direction
from inspector.usage.drift import Subject
from inspector.usage.marked import Marked

NAME_CHARACTERS = 80
MOST_NAMES = 3
NAMED = {Subject.FINGERPRINT: "fingerprint", Subject.TIER: "service tier"}
NO_MODEL = "an answer that names no model"


@dataclass(frozen=True, slots=True)
class Part:
    """``whole`` is a name as it is, where it is one."""

    text: str
    whole: str = ""


def sentence(marks: Sequence[Marked]) -> Iterator[Part]:
    """Of changes of one subject of one model that began together and went the same way."""
    first = marks[0]
    match first.subject:
        case Subject.KEYS | Subject.USAGE:
            yield from _keys(marks)
        case Subject.ALIAS:
            yield from _alias(marks)
        case Subject.FINISH:
            yield from _finish(marks)
        case Subject.FIRST_TOKEN:
            yield from _first_token(first)
        case _:
            yield from _value(marks)
    yield Part(".")


def captures_word(mark: Marked) -> str:
    return "Last captures" if mark.direction == Direction.VANISHED else "First captures"


def name(text: str, shown: str | None = None) -> Part:
    short = text if shown is None else shown
    return Part(
        short if len(short) <= NAME_CHARACTERS else f"{short[: NAME_CHARACTERS - 1]}…", text
    )


def _model(mark: Marked) -> Part:
    return name(mark.model) if mark.model is not None else Part("no named model")


def _names(texts: Sequence[str], shown: Callable[[str], str] = str) -> Iterator[Part]:
    for at, text in enumerate(texts[:MOST_NAMES]):
        if at:
            is_last = at == len(texts) - 1
            yield Part(" and " if is_last else ", ")
        yield name(text, shown(text))
    if len(texts) > MOST_NAMES:
        yield Part(f" and {len(texts) - MOST_NAMES:,} more")


def _keys(marks: Sequence[Marked]) -> Iterator[Part]:
    """By their last step; a path stands for those below it."""
    paths = {mark.what for mark in marks if mark.what is not None}
    roots = sorted(path for path in paths if not _has_above(path, paths))
    yield from _names(roots, _last)
    below = len(paths) - len(roots)
    if below:
        yield Part(f", with {below:,} {'key' if below == 1 else 'keys'} below,")
    is_new = marks[0].direction == Direction.APPEARED
    place = "the usage" if marks[0].subject == Subject.USAGE else "answers"
    yield Part(f" {'appeared in' if is_new else 'vanished from'} {place} of ")
    yield _model(marks[0])


def _has_above(path: str, paths: set[str]) -> bool:
    steps = path.split("/")
    return any("/".join(steps[:end]) in paths for end in range(2, len(steps)))


def _last(path: str) -> str:
    return path.rpartition("/")[2].replace("~1", "/").replace("~0", "~") or path


def _value(marks: Sequence[Marked]) -> Iterator[Part]:
    first, named = marks[0], NAMED[Subject(marks[0].subject)]
    if len(marks) == 1 and first.is_switch:
        yield Part(f"{named.capitalize()} of ")
        yield _model(first)
        yield Part(" changed from ")
        yield _sent(first.replaces)
        yield Part(" to ")
        yield _sent(first.what)
        return
    is_new = first.direction == Direction.APPEARED
    if len(marks) == 1 and first.what is None:
        yield Part(
            f"Some answers without a {named} came from "
            if is_new
            else f"No answer without a {named} came any more from "
        )
        yield _model(first)
        return
    yield Part(f"{named.capitalize()} ")
    yield from _names([mark.what for mark in marks if mark.what is not None])
    yield Part(" appeared in answers of " if is_new else " vanished from answers of ")
    yield _model(first)


def _sent(value: str | None) -> Part:
    return Part("none sent") if value is None else name(value)


def _alias(marks: Sequence[Marked]) -> Iterator[Part]:
    first = marks[0]
    is_new = first.direction == Direction.APPEARED
    is_switch = len(marks) == 1 and first.is_switch
    yield _model(first)
    verb = "is" if is_switch else "is also" if is_new else "is no longer"
    yield Part(f" {verb} answered by ")
    named = [mark.what for mark in marks if mark.what is not None]
    yield from _names(named) if named else [Part(NO_MODEL)]
    if is_switch:
        yield Part(" instead of ")
        yield Part(NO_MODEL) if first.replaces is None else name(first.replaces)


def _finish(marks: Sequence[Marked]) -> Iterator[Part]:
    first = marks[0]
    yield Part("Finish reason ")
    yield from _names([mark.what for mark in marks if mark.what is not None])
    before, since = (share(side.value, side.captures) for side in (first.before, first.since))
    yield Part(f" rose from {before} to {since} in answers of ")
    yield _model(first)


def _first_token(mark: Marked) -> Iterator[Part]:
    rose = "rose" if mark.direction == Direction.SLOWER else "fell"
    before, since = (f"{side.value / 1_000_000:.2f} s" for side in (mark.before, mark.since))
    yield Part("First token of ")
    yield _model(mark)
    yield Part(f" {rose} from {before} to {since} at the median")
