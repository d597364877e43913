"""The head of the page of a response that is being recorded.

What only the stream or the end can tell is said to be so: never a zero.
"""

from collections.abc import Iterator
from datetime import datetime

from django.utils import timezone

from inspector.archive.listing.capture_values import CaptureFacts
from inspector.core.analysis import Verdict
from inspector.core.request.request_params import RequestParams, parse_request_params
from inspector.dashboard.capture.head.headline import Headline, HeadlinePart
from inspector.dashboard.capture.head.summary import CaptureSummary, FigureValuePart, SummaryFigure
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.humanize import size, so_far, tenths
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.verdicts import VerdictLabel, VerdictTone

NOT_YET = "not yet"
AFTER_THE_END = "after the end"
IN_PROGRESS = VerdictLabel(Verdict.IN_PROGRESS, VerdictTone.WAITING)


def recording_summary(view: CaptureView, now: datetime | None = None) -> CaptureSummary:
    """Return the head as the row tells it; a script fills it in as the answer grows."""
    row = view.row
    came = f"{so_far(row.byte_length, began_at(view.facts), now)}."
    return CaptureSummary(
        verdict=IN_PROGRESS,
        headline=Headline(
            IN_PROGRESS.sentence, IN_PROGRESS.tone, (HeadlinePart(exact_segments(came)),)
        ),
        cut=(),
        figures=tuple(_figures(view, now or timezone.now())),
    )


def requested_model(view: CaptureView) -> str:
    """Empty where the request's body names none."""
    params = parse_request_params(view.request_body)
    return (params.model or "") if params else ""


def began_at(facts: CaptureFacts) -> datetime:
    return facts.row.called_at


def passed_us(facts: CaptureFacts, now: datetime) -> int:
    """Time since the request, by the clock of this machine."""
    return max(0, int((now - began_at(facts)).total_seconds() * 1_000_000))


def _figures(view: CaptureView, now: datetime) -> Iterator[SummaryFigure]:
    params = parse_request_params(view.request_body)
    withheld = view.is_prompt_withheld
    yield _awaited("model", "model answered", "raw", "" if withheld else _requested(params))
    yield _awaited("dialect", "format", "raw", "recorded by the proxy")
    yield _awaited("finish", "finish reason", "choices", "" if withheld else _limit(params))
    yield _awaited("tokens", "tokens so far", "usage", "in not yet")
    if view.facts.share is None:
        yield _awaited("cost", "cost", "usage", "priced when whole", AFTER_THE_END)
    yield _awaited("first", "first token", "timeline", "no token yet")
    yield growing_duration(view, now)
    yield _awaited("findings", "findings", "findings", "rules need the whole", AFTER_THE_END)
    yield growing_size(view)


def growing_duration(view: CaptureView, now: datetime) -> SummaryFigure:
    value = (FigureValuePart(tenths(passed_us(view.facts, now))),)
    return SummaryFigure("recording for", "timeline", value, "since the request", name="duration")


def growing_size(view: CaptureView) -> SummaryFigure:
    if not view.row.byte_length:
        return _awaited("size", "size so far", "raw", "no byte yet")
    value = (FigureValuePart(size(view.row.byte_length)),)
    aside = view.facts.content_type or "content type not yet"
    return SummaryFigure("size so far", "raw", value, aside, name="size")


def _awaited(name: str, label: str, panel: str, aside: str, word: str = NOT_YET) -> SummaryFigure:
    return SummaryFigure(label, panel, (FigureValuePart(word),), aside, unknown=True, name=name)


def _requested(params: RequestParams | None) -> str:
    model = params.model if params else None
    return f"requested {model}" if model else "requested model not known"


def _limit(params: RequestParams | None) -> str:
    limit = params.token_limit if params else None
    return f"limit {limit:,}" if limit else "no limit known"
