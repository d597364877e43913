"""The findings of a document. A message quotes what it is about, so that one that would tell
something withheld is replaced by what its rule looks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis
from inspector.core.findings import Finding, Where
from inspector.core.rules import finding_type_of
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.formatting.verdicts import ending_sentence
from inspector.sharing.document.withheld import Withheld

MAX_FINDINGS = 200


@dataclass(frozen=True, slots=True)
class DocumentFinding:
    severity: str
    code: str
    message: str
    impact: str
    place: str


@dataclass(frozen=True, slots=True)
class Told:
    """What may be told of an analysis. ``without_request`` is the reading of the same response
    alone; None where the prompt is not withheld. Whatever it says cannot come from the request.
    """

    analysis: Analysis
    without_request: Analysis | None
    withheld: Withheld

    def findings(self) -> Iterator[DocumentFinding]:
        for each in self.analysis.findings[:MAX_FINDINGS]:
            meaning = finding_type_of(each.code)
            is_told = not self.withheld.messages and self._is_of_response(each)
            message = each.message if is_told else meaning.help if meaning else ""
            yield DocumentFinding(
                severity=str(each.severity),
                code=each.code,
                message=spell_out_invisible(message.replace("``", "") if not is_told else message),
                impact=meaning.impact.replace("``", "") if meaning else "",
                place=place_words(each.where, is_told),
            )

    def ending(self) -> str:
        """Why it ended as it did; empty where messages are withheld, for the reason may quote an
        error, and where the request had a part in it.
        """
        reason = ending_words(self.analysis)
        response_alone = self.without_request or self.analysis
        is_told = not self.withheld.messages and reason == ending_words(response_alone)
        return spell_out_invisible(reason) if is_told else ""

    def _is_of_response(self, finding: Finding) -> bool:
        if self.without_request is None:
            return True
        same = (each.message for each in self.without_request.findings if each.code == finding.code)
        return finding.message in same


def ending_words(analysis: Analysis) -> str:
    return "".join(clause.text for clause in ending_sentence(analysis))


def place_words(where: Where, is_told: bool) -> str:
    """Event, byte and, where the message is told, the pointer: its steps are names that were
    sent.
    """
    parts = []
    if where.event is not None:
        parts.append(f"event {where.event:,}")
    if where.byte_start is not None:
        parts.append(f"byte {where.byte_start:,}")
    if where.pointer and is_told:
        parts.append(spell_out_invisible(where.pointer[:200]))
    return ", ".join(parts)
