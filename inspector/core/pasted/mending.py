"""Undoes what printed examples do to JSON, where only one reading fits: trailing commas, dots for
something left out, remarks, no-break spaces. NaN and infinities, which Python prints, become texts.

Every change of the text keeps the length of the text, so that its positions stay those of the body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum

import msgspec

from inspector.core.json import Json, parser
from inspector.core.wire.framing import BOM

_STRING = rb'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))'
# Strings first: one inside a text belongs to it.
_NO_BREAK_SPACE = re.compile(_STRING + rb"|\xc2\xa0", re.DOTALL)
# As in "// a remark", "# a remark", "/* a remark */".
_REMARK = re.compile(_STRING + rb"|(?://|#)[^\n]*+|/\*[^*\n]{0,200}+\*/", re.DOTALL)
# As in ", ...," in place of left-out members.
_DOTS = re.compile(_STRING + rb"|(?:,\s*+)?+(?P<dots>\.{3,}+|\xe2\x80\xa6)(?:\s*+,)?+", re.DOTALL)
# As in "," of "[1, 2,]".
_TRAILING_COMMA = re.compile(_STRING + rb"|,(?=\s*+[}\]])", re.DOTALL)
# As in "NaN" and "-Infinity".
_CONSTANT = re.compile(_STRING + rb"|-?Infinity|NaN", re.DOTALL)
# As in "..." and "…".
_dots = re.compile(rb"\.{3}|\xe2\x80\xa6").search
_visible = re.compile(rb"[^\n]")
# As in "// remark" or "{" first.
_may_become_object = re.compile(rb"(?:\s|\xc2\xa0|\xef\xbb\xbf)*+[{/#]").match


MAX_GAP = 200
"""White space around dots that is looked past."""


class DeviationKind(StrEnum):
    """How a printed text deviates from JSON."""

    COMMA = "comma"
    DOTS = "dots"
    REMARK = "remark"
    SPACE = "space"
    CONSTANT = "constant"


STEPS = {
    DeviationKind.SPACE: "Read no-break spaces as spaces",
    DeviationKind.REMARK: "Left out remarks",
    DeviationKind.DOTS: "Left out dots that stand for something left out",
    DeviationKind.COMMA: "Left out commas before a closing bracket",
    DeviationKind.CONSTANT: "Read NaN and infinities, which JSON does not have, as texts",
}


class Deviation(msgspec.Struct, frozen=True):
    """One place where a printed text deviates from JSON, in bytes of the text."""

    kind: DeviationKind
    byte_start: int
    byte_end: int


class MendedText(msgspec.Struct, frozen=True):
    """A text with its deviations undone, of the same length: JSON but for constants, which are
    texts in ``value``, its object.
    """

    text: bytes
    value: dict[str, Json]
    deviations: tuple[Deviation, ...]

    @property
    def steps(self) -> tuple[str, ...]:
        kinds = {each.kind for each in self.deviations}
        return tuple(step for kind, step in STEPS.items() if kind in kinds)

    @property
    def has_constants(self) -> bool:
        return any(each.kind is DeviationKind.CONSTANT for each in self.deviations)

    @property
    def elisions(self) -> Iterable[Deviation]:
        return (each for each in self.deviations if each.kind is DeviationKind.DOTS)

    @property
    def trailing_commas(self) -> Iterable[Deviation]:
        return (each for each in self.deviations if each.kind is DeviationKind.COMMA)


def mend(text: bytes) -> MendedText | None:
    """Undo the deviations of a text in linear time; None without any, or without an object."""
    # Told by its beginning, for the patterns take seconds for tens of megabytes of anything else.
    if not _may_become_object(text):
        return None
    found: list[Deviation] = []
    mended = text
    if mended.startswith(BOM):
        mended = b" " * len(BOM) + mended[len(BOM) :]
    for replaced in (_spaces, _remarks, _left_out, _commas):
        mended = replaced(mended, found)
    value = parser.parse_json(mended).value if found else None
    if value is None and (value := parser.parse_with_constants(mended)) is not None:
        _note_constants(mended, found)
    if not isinstance(value, dict):
        return None
    return MendedText(mended, value, tuple(sorted(found, key=lambda each: each.byte_start)))


def _spaces(text: bytes, found: list[Deviation]) -> bytes:
    return _blanked(_NO_BREAK_SPACE, text, found, lambda match: DeviationKind.SPACE)


def _remarks(text: bytes, found: list[Deviation]) -> bytes:
    """Blank remarks; one that holds dots stands for something left out."""

    def kind(match: re.Match[bytes]) -> DeviationKind:
        return DeviationKind.DOTS if _dots(match[0]) else DeviationKind.REMARK

    return _blanked(_REMARK, text, found, kind)


def _commas(text: bytes, found: list[Deviation]) -> bytes:
    return _blanked(_TRAILING_COMMA, text, found, lambda match: DeviationKind.COMMA)


def _note_constants(text: bytes, found: list[Deviation]) -> None:
    places = (match.span() for match in _CONSTANT.finditer(text) if not match[1])
    found += (Deviation(DeviationKind.CONSTANT, *place) for place in places)


def _left_out(text: bytes, found: list[Deviation]) -> bytes:
    """Blank dots. A comma stays where the values on both sides need one."""

    def put(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return match[0]
        found.append(Deviation(DeviationKind.DOTS, match.start("dots"), match.end("dots")))
        before = text[max(match.start() - MAX_GAP, 0) : match.start()].rstrip()[-1:]
        after = text[match.end() : match.end() + MAX_GAP].lstrip()[:1]
        is_between = before not in (b"{", b"[", b":", b",") and after not in (b"}", b"]", b"")
        blank = _visible.sub(b" ", match[0])
        return b"," + blank[1:] if is_between else blank

    return _DOTS.sub(put, text)


def _blanked(
    pattern: re.Pattern[bytes],
    text: bytes,
    found: list[Deviation],
    kind: Callable[[re.Match[bytes]], DeviationKind],
) -> bytes:
    """Put spaces in place of every match outside of strings, which the first group matches."""

    def put(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return match[0]
        found.append(Deviation(kind(match), match.start(), match.end()))
        return _visible.sub(b" ", match[0])

    return pattern.sub(put, text)
