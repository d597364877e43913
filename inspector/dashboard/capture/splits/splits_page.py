"""The result of reading a capture at every split, for its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from inspector.archive.background.split_status import NOT_REQUESTED, SplitStatus
from inspector.core.splits.cuttings import Cutting
from inspector.core.splits.every_split import SplitResult
from inspector.core.splits.own_reading import SplitDifference
from inspector.core.splits.readers import ReaderBreak, ReaderSplits, ReaderState
from inspector.dashboard.capture.page.task_progress import WAITING, TaskProgress
from inspector.formatting.humanize import count, plural

STAGES = {
    "own": "reading it with our own reader and with readers written by hand",
    "openai": "delivering it to the OpenAI client",
    "httpx-sse": "delivering it to the httpx-sse client",
}


@dataclass(frozen=True, slots=True)
class BreakDisplay:
    """A cutting that breaks a reader; ``url`` leads to the byte, "" if it is at none."""

    found: ReaderBreak
    url: str


@dataclass(frozen=True, slots=True)
class ReaderDisplay:
    reader: ReaderSplits
    examples: tuple[BreakDisplay, ...]

    @property
    def name(self) -> str:
        return self.reader.name[:1].upper() + self.reader.name[1:]

    @property
    def is_tried(self) -> bool:
        return self.reader.state == ReaderState.TRIED


@dataclass(frozen=True, slots=True)
class DifferenceDisplay:
    difference: SplitDifference
    url: str


@dataclass(frozen=True, slots=True)
class SplitsDisplay:
    """``headline`` says what holds of our own reading, ``checked`` what was read."""

    headline: str
    checked: str
    differences: tuple[DifferenceDisplay, ...]
    readers: tuple[ReaderDisplay, ...]


def splits_display(capture_id: UUID, result: SplitResult) -> SplitsDisplay:
    return SplitsDisplay(
        headline=_headline(result),
        checked=" ".join(_checked(result)),
        differences=tuple(
            DifferenceDisplay(each, byte_url(capture_id, each.cutting))
            for each in result.differences
        ),
        readers=tuple(_reader_display(capture_id, each) for each in result.readers),
    )


def progress_of(status: SplitStatus) -> TaskProgress:
    words = STAGES.get(status.stage or "own", "under way")
    if status.total is None:
        return TaskProgress(WAITING)
    counted = f"{count(status.done)} of {count(status.total)}"
    return TaskProgress(f"Now {words}.", status.done, status.total, "Cuttings tried", counted)


def button_words(status: SplitStatus) -> str:
    return "Check every split" if status.state == NOT_REQUESTED else "Check every split again"


def byte_url(capture_id: UUID, cutting: Cutting) -> str:
    if cutting.byte is None or cutting.is_coded:
        return ""
    return f"{reverse('dashboard:capture', args=[capture_id])}?raw=hex&byte={cutting.byte}#raw"


def _reader_display(capture_id: UUID, reader: ReaderSplits) -> ReaderDisplay:
    examples = (BreakDisplay(each, byte_url(capture_id, each.cutting)) for each in reader.examples)
    return ReaderDisplay(reader, tuple(examples))


def _headline(result: SplitResult) -> str:
    if result.differing:
        cuttings = plural(result.differing, "cutting")
        return f"Our own reading differs with {cuttings}: that is a fault of this program."
    if result.is_stream:
        return "Our own reading is the same with every cutting that was tried."
    if result.line_ends:
        return "A whole body: nothing to split but line ends, and it is the same with others."
    return "A whole body: there is nothing to split, and no line that could end otherwise."


def _checked(result: SplitResult) -> Iterator[str]:
    if result.places:
        which = "a sample of " if result.is_sample else "every one of "
        yield (
            f"Events were cut out again at {which}{count(result.places)} places"
            f" of {count(result.byte_length)} bytes."
        )
    if result.whole_readings:
        yield f"{plural(result.whole_readings, 'delivery', 'deliveries')} read from end to end:"
        yield f"{_deliveries(result)}."


def _deliveries(result: SplitResult) -> str:
    others = len(result.line_ends) + result.is_read_bytewise
    parts = []
    if result.whole_readings > others:
        parts.append(f"{count(result.whole_readings - others)} cut in two")
    if result.is_read_bytewise:
        parts.append("one byte by byte")
    parts.extend(f"one with {each} line ends" for each in result.line_ends)
    return ", ".join(parts)
