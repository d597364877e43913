"""The pure machine: feed it reads, ask it for the analysis and the tape. It never raises."""

from __future__ import annotations

from inspector.core.analysis import Analysis
from inspector.core.exchange import Exchange, Read
from inspector.core.tape import Tape


class Reading:
    """One exchange being read; feeding it by any cutting gives the same analysis and tape."""

    def __init__(self, exchange: Exchange | None = None) -> None:
        raise NotImplementedError

    def feed(self, read: Read) -> None:
        raise NotImplementedError

    def analysis(self) -> Analysis:
        raise NotImplementedError

    def tape(self) -> Tape:
        raise NotImplementedError


def analyze(exchange: Exchange) -> Analysis:
    raise NotImplementedError
