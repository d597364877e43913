"""The document of several captures: a table, and below it what each of them says. The captures are
pieces of their own, put in when it is opened, so that one which is deleted leaves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.template.loader import render_to_string
from django.utils import timezone

from inspector.archive.opened import OpenedCapture
from inspector.archive.readers.on_demand import Asker
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.formatting.humanize import moment, plural
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.sharing.document.document import (
    NEVER_IN_IT,
    ShownCapture,
    content_policy,
    left_out,
    shown_capture,
)
from inspector.sharing.document.withheld import MAX_CHARACTERS, TextRoom, Withheld

# Whatever is put into a document is escaped, and so is neither of these.
ROWS, CAPTURES = b"<!-- rows -->", b"<!-- captures -->"
COMPARED = "Figures that differ are shaded."


@dataclass(frozen=True, slots=True)
class RenderedMember:
    capture: UUID
    row: bytes
    content: bytes


@dataclass(frozen=True, slots=True)
class RenderedCollection:
    """``html`` is the document without its captures. ``unfound`` are the numbers of passages that
    were to be masked and stand in none of them.
    """

    html: bytes
    policy: str
    analysis_version: int
    members: tuple[RenderedMember, ...]
    unfound: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberFigure:
    value: str
    aside: str
    differs: bool


def render_collection(
    opened: Iterable[OpenedCapture],
    number: int,
    withheld: Withheld,
    asker: Asker,
    shared_until: datetime,
    is_comparison: bool,
    beyond: str = "",
) -> RenderedCollection | None:
    """The document of captures as they are read now, ``number`` at most; those that are not
    inspected are left out. None where none is left. Raises ``ReadingError``.
    """
    shown, team = dict[UUID, ShownCapture](), ""
    unfound = set(range(len(withheld.passages)))
    for each in opened:
        # Each has its part of the room, so that the first does not take it all.
        room = TextRoom(withheld, MAX_CHARACTERS // max(number, 1))
        found = shown_capture(each, withheld, room, asker)
        if found is not None:
            shown[each.row.id], team = found, found.head.team
            unfound &= set(room.masks.unfound)
    if not shown:
        return None
    title = plural(len(shown), "capture")
    first = next(iter(shown.values()))
    context = {
        "policy": content_policy(),
        "title": f"{title} compared" if is_comparison else title,
        "is_comparison": is_comparison,
        "sentence": COMPARED if is_comparison else "",
        "team": team,
        "shared_until": moment(shared_until),
        "saved_at": moment(timezone.now()),
        "left_out": left_out(withheld, "that of each capture"),
        "beyond": beyond,
        "labels": [figure.label for figure in first.head.figures],
        "never_in_it": NEVER_IN_IT,
        "version": ANALYSIS_VERSION,
    }
    html = spell_out_invisible(render_to_string("sharing/collection.html", context))
    members = tuple(_members(shown, is_comparison))
    return RenderedCollection(
        html.encode(), content_policy(), ANALYSIS_VERSION, members, tuple(sorted(unfound))
    )


def assembled(html: bytes, members: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A document with the rows and contents of those captures that are left."""
    before, _, rest = html.partition(ROWS)
    between, _, after = rest.partition(CAPTURES)
    rows = b"".join(row for row, _ in members)
    contents = b"".join(content for _, content in members)
    return before + rows + between + contents + after


def _members(shown: Mapping[UUID, ShownCapture], is_comparison: bool) -> Iterable[RenderedMember]:
    values = defaultdict[str, set[str]](set)
    for each in shown.values():
        for figure in each.head.figures:
            values[figure.label].add(figure.value)
    for position, (capture_id, each) in enumerate(shown.items(), start=1):
        figures = [
            MemberFigure(
                figure.value, figure.aside, is_comparison and len(values[figure.label]) > 1
            )
            for figure in each.head.figures
        ]
        context = {**each.context, "at": f"c{position}-", "figures": figures}
        yield RenderedMember(
            capture_id,
            row=_rendered("sharing/member_row.html", context),
            content=_rendered("sharing/member.html", context),
        )


def _rendered(template: str, context: Mapping[str, object]) -> bytes:
    return spell_out_invisible(render_to_string(template, dict(context))).encode()
