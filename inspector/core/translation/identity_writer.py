"""Id, model and time of an answer, under the names of another format."""

from __future__ import annotations

from datetime import datetime

from msgspec import UNSET, UnsetType

from inspector.core.completion import Json
from inspector.core.identity import created_at
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.source import SourceAnswer
from inspector.core.translation.target_format import TargetFormat

LACKING = {
    "id": (LossCode.ID_LACKING, "id"),
    "model": (LossCode.MODEL_LACKING, "model"),
    "created": (LossCode.TIME_LACKING, "time of creation"),
}
DROPPED = {
    "id": LossCode.ID_DROPPED,
    "model": LossCode.MODEL_DROPPED,
    "created": LossCode.TIME_DROPPED,
}


def identity_members(
    answer: SourceAnswer, target: TargetFormat, losses: LossList
) -> dict[str, Json]:
    """Returns the members that identify the response, as sent; what was not sent stays absent."""
    members: dict[str, Json] = {}
    for name in LACKING:
        value = answer.member(name)
        into = target.dialect.identity.get(name, name)
        is_known = into in target.dialect.top_fields
        if value is UNSET and is_known:
            _report_lacking(name, answer, losses)
        elif not is_known:
            _report_dropped(name, value, answer, losses)
        elif name == "created":
            value = _time(value, answer, target, losses)
        if is_known and value is not UNSET:
            members[into] = value
    for name in target.shares.get(answer.family, ()):
        if name in answer.fields:
            members[name] = answer.fields[name]
    return members


def names_given(answer: SourceAnswer, target: TargetFormat) -> frozenset[str]:
    """Places of the members that are given, or reported as dropped."""
    shared = target.shares.get(answer.family, frozenset())
    others = (f"{answer.at}/{name}" for name in shared)
    return frozenset((*map(answer.member_pointer, LACKING), *others))


def _report_lacking(name: str, answer: SourceAnswer, losses: LossList) -> None:
    code, words = LACKING[name]
    losses.add(code, answer.member_pointer(name), f"The answer has no {words}: none is made up.")


def _report_dropped(name: str, value: Json, answer: SourceAnswer, losses: LossList) -> None:
    if value is not UNSET and value is not None:
        words = LACKING[name][1]
        losses.add(
            DROPPED[name],
            answer.member_pointer(name),
            f"The {words} has no place in {losses.noun}.",
        )


def _time(
    value: Json, answer: SourceAnswer, target: TargetFormat, losses: LossList
) -> Json | UnsetType:
    """The time of creation in the target's notation: Unix seconds, or text."""
    if value is None or isinstance(value, str) is target.writes_time_as_text:
        return value
    pointer = answer.member_pointer("created")
    moment = _moment(value)
    if moment is None:
        losses.add(LossCode.TIME_DROPPED, pointer, f"{value} is no moment: it is left out.")
        return UNSET
    if target.writes_time_as_text:
        given: Json = moment.isoformat().replace("+00:00", "Z")
    else:
        given = int(moment.timestamp())
    losses.add(LossCode.TIME_CHANGED, pointer, f"{value} is given as {given}.")
    return given


def _moment(value: Json) -> datetime | None:
    if not isinstance(value, str):
        return created_at(value)
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    # Without its zone a time names no moment.
    return found if found.tzinfo else None
