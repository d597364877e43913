"""The samples that a new archive holds: whether any is left, and where to begin with them."""

from uuid import UUID

from django.utils import timezone

from inspector.archive.listing.filter_params import parse_filter_params
from inspector.archive.listing.filters import Filters
from inspector.archive.queries import Captures

SAMPLES = "tag:sample"
"""Query that lists them."""
STARTS = (
    ("a tool call cut in the middle", f"{SAMPLES} rule:tool.arguments-truncated"),
    ("two answers to one prompt", f"{SAMPLES} choices>1"),
    ("a stream that broke off", f"{SAMPLES} verdict:cut-off"),
)


def has_samples(captures: Captures) -> bool:
    return bool(captures.search(filters=filters_of(SAMPLES), limit=1).rows)


def has_own(captures: Captures) -> bool:
    """Tell whether anything but samples arrived."""
    return bool(captures.search(filters=filters_of(f"-{SAMPLES}"), limit=1).rows)


def starts(captures: Captures) -> tuple[tuple[str, UUID], ...]:
    """Words and capture; one that is not analysed yet is not named."""
    found = ((words, captures.search(filters=filters_of(text)).rows) for words, text in STARTS)
    return tuple((words, rows[0].id) for words, rows in found if rows)


def filters_of(text: str) -> Filters:
    return parse_filter_params({"q": [text]}, timezone.now()).filters
