"""For how long and how often a share can be opened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from inspector.sharing.document.withheld import Withheld

LEAST_SECONDS, MOST_SECONDS = 60, 365 * 24 * 3600
USUAL_DAYS = 7
USUAL_SECONDS = USUAL_DAYS * 24 * 3600
MAX_VIEWS = 1_000
"""Of a share: each is a row of its access log."""
USUAL_VIEWS = 25


@dataclass(frozen=True, slots=True)
class ShareTerms:
    """The terms on which a share is made, within the limits above."""

    life: timedelta = timedelta(seconds=USUAL_SECONDS)
    max_views: int = USUAL_VIEWS
    withheld: Withheld = Withheld(prompt=True)
