"""Citations of web pages, which chat completions and Responses have in common.

The two spell them differently, and count positions in different texts: a part of a response has its
own, a chat message one for all.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.completion import Json
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.source import SourcePart

WEB = "url_citation"
ENDS = ("start_index", "end_index")


def web_citations(part: SourcePart, losses: LossList, before: int = 0) -> list[dict[str, Json]]:
    """Returns the web citations of a text, without type; ``before`` is added to positions in the
    text. Other citations are reported as dropped.
    """
    given = [one for one in map(_web_citation, part.citations) if one is not None]
    if given:
        message = f"{counted(given)} given as annotations, as {losses.noun} spells them."
        losses.add(LossCode.CITATIONS_CHANGED, part.citations_pointer, message)
    others = [one for one in part.citations if _web_citation(one) is None]
    report_citations(part, others, losses)
    return [_moved(one, before) for one in given]


def report_citations(part: SourcePart, citations: Sequence[Json], losses: LossList) -> None:
    """Tell of citations that have no place."""
    if citations:
        has = "has" if len(citations) == 1 else "have"
        message = f"{counted(citations)} of this text {has} no place in {losses.noun}."
        losses.add(LossCode.CITATIONS_DROPPED, part.citations_pointer, message)


def counted(citations: Sequence[Json]) -> str:
    return f"{len(citations)} citation{'s' if len(citations) > 1 else ''}"


def _web_citation(one: Json) -> dict[str, Json] | None:
    if not isinstance(one, dict) or one.get("type") != WEB:
        return None
    inside = one.get(WEB)
    members = inside if isinstance(inside, dict) else one
    return {name: value for name, value in members.items() if name != "type"}


def _moved(members: dict[str, Json], before: int) -> dict[str, Json]:
    places = {name: members[name] for name in ENDS if members.get(name).__class__ is int}
    return {**members, **{name: place + before for name, place in places.items()}}
