"""The stored analysis of a capture whose body is deleted: counts, times, codes and names of models
stay; whatever else the body said goes. A text that was there is empty and listed among the cuts
with its length, so that it differs from one that was never sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from inspector.archive import readouts
from inspector.archive.readouts import StoredReadout, TruncatedValue
from inspector.core.analysis import Analysis
from inspector.core.completion import Choice, FunctionCall, ToolCall, known
from inspector.core.fields.identity import Identity
from inspector.core.fields.service_tier import ServiceTier
from inspector.core.findings import Finding, Where
from inspector.core.json import Json
from inspector.core.rules import finding_type_of

WORD_CHARACTERS = 500
"""Characters of a name, as long as the column that keeps it."""
CODE_CHARACTERS = 63
"""Characters of a finish reason, a role or a type."""


def strip(packed: bytes) -> bytes | None:
    """None where it cannot be loaded."""
    stored = readouts.load(packed)
    return None if stored is None else readouts.pack_stored(stripped(stored))


def stripped(stored: StoredReadout) -> StoredReadout:
    """Fields that may stay are named one by one: new ones go until they are named."""
    emptied = _Emptied(stored.cuts)
    given = stored.analysis
    analysis = Analysis(
        analysis_version=given.analysis_version,
        dialect=given.dialect,
        vendor=given.vendor,
        object=given.object,
        streamed=given.streamed,
        verdict=given.verdict,
        verdict_reason="",
        result=given.result,
        measured_by=given.measured_by,
        model=given.model,
        identity=Identity(
            id=_word(given.identity.id),
            object=_word(given.identity.object),
            created=_word(given.identity.created),
            system_fingerprint=_word(given.identity.system_fingerprint),
        ),
        completion=None,
        choices=tuple(
            _choice(emptied, f"/choices/{number}", each)
            for number, each in enumerate(given.choices)
        ),
        usage=msgspec.structs.replace(
            given.usage,
            cost=given.usage.cost if isinstance(given.usage.cost, str | None) else UNSET,
            cost_details=UNSET,
            extras=emptied.members("/usage/extras", given.usage.extras),
        ),
        service_tier=_tier(given.service_tier),
        fragment=given.fragment,
        timeline=given.timeline,
        repair=None,
        findings=tuple(map(stripped_finding, given.findings)),
        extras=emptied.members("/extras", given.extras),
    )
    return StoredReadout(analysis, cuts=emptied.cuts)


def stripped_finding(finding: Finding) -> Finding:
    """Keep the code alone: messages quote, and a pointer's steps are names that were sent."""
    where = Where(
        event=finding.where.event,
        byte_start=finding.where.byte_start,
        byte_end=finding.where.byte_end,
    )
    return Finding(
        code=finding.code, severity=finding.severity, message=message_of(finding.code), where=where
    )


def message_of(code: str) -> str:
    """Return the subject of a finding's rule; empty of a rule that is not known any more."""
    found = finding_type_of(code)
    return found.help.replace("``", "") if found else ""


def _choice(emptied: _Emptied, at: str, given: Choice) -> Choice:
    return Choice(
        index=given.index,
        role=_code(given.role),
        content=emptied.text(f"{at}/content", given.content),
        text=emptied.text(f"{at}/text", given.text),
        reasoning=emptied.text(f"{at}/reasoning", given.reasoning),
        refusal=emptied.text(f"{at}/refusal", given.refusal),
        finish_reason=_code(given.finish_reason),
        result=given.result,
        tool_calls=tuple(
            _tool_call(emptied, f"{at}/tool_calls/{number}", each)
            for number, each in enumerate(given.tool_calls)
        ),
        function_call=_function_call(emptied, f"{at}/function_call", given.function_call),
        # Whoever votes has it: a deletion of the whole capture keeps its hash.
        feedback_token=given.feedback_token,
        cost_usd=given.cost_usd,
        duration_seconds=given.duration_seconds,
        extras=emptied.members(f"{at}/extras", given.extras),
    )


def _tool_call(emptied: _Emptied, at: str, given: ToolCall) -> ToolCall:
    return ToolCall(
        index=given.index,
        type=_code(given.type),
        name=emptied.text(f"{at}/name", given.name),
        arguments_text=emptied.text(f"{at}/arguments_text", given.arguments_text),
        arguments_state=given.arguments_state,
        arguments_cause=given.arguments_cause,
        is_offered=given.is_offered,
        extras=emptied.members(f"{at}/extras", given.extras),
    )


def _function_call(emptied: _Emptied, at: str, given: FunctionCall | None) -> FunctionCall | None:
    if given is None:
        return None
    return FunctionCall(
        name=emptied.text(f"{at}/name", given.name),
        arguments_text=emptied.text(f"{at}/arguments_text", given.arguments_text),
        arguments_state=given.arguments_state,
        arguments_cause=given.arguments_cause,
        extras=emptied.members(f"{at}/extras", given.extras),
    )


def _tier(given: ServiceTier | None) -> ServiceTier | None:
    if given is None:
        return None
    words = (given.used, *given.others)
    return given if all(_word(each) is not UNSET for each in words) else None


def _word(value: Json, most: int = WORD_CHARACTERS) -> Any:
    """Return a name or number as it was sent; objects and long texts are left out."""
    if value is None or isinstance(value, int | float):
        return value
    return value if isinstance(value, str) and len(value) <= most else UNSET


def _code(value: Json) -> Any:
    return _word(value, CODE_CHARACTERS)


class _Emptied:
    """Empties values, and keeps the length of each beside those that were cut before."""

    def __init__(self, cuts: Sequence[TruncatedValue]) -> None:
        self._lengths = {cut.pointer: cut.length for cut in cuts}

    @property
    def cuts(self) -> tuple[TruncatedValue, ...]:
        return tuple(map(TruncatedValue, self._lengths, self._lengths.values()))

    def text(self, pointer: str, value: Any) -> Any:
        if not known(value) or not value:
            return value
        self._lengths.setdefault(pointer, len(value))
        return ""

    def members(self, pointer: str, value: dict[str, Json]) -> dict[str, Json]:
        if value:
            self._lengths.setdefault(pointer, len(value))
        return {}
