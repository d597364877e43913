"""Parts of messages, as the writers of several formats write them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from inspector.core.completion import BlockKind, Json, known
from inspector.core.json.parser import parse_json
from inspector.core.translation.loss import LossCode, LossList
from inspector.core.translation.source import SourceAnswer, SourceCall, SourceChoice, SourcePart

DROPPED_KINDS = {
    BlockKind.HOSTED: (LossCode.HOSTED_DROPPED, "is run by the provider, and has"),
    BlockKind.TOOL_CALL: (LossCode.CALL_DROPPED, "names no tool, and has"),
    BlockKind.REASONING: (LossCode.REASONING_DROPPED, "has no text, and"),
}
FIELD_ORDER = (BlockKind.REASONING, BlockKind.TEXT, BlockKind.REFUSAL, BlockKind.TOOL_CALL)


def only_choice(answer: SourceAnswer, losses: LossList) -> SourceChoice:
    """The first choice, for formats whose answers have one."""
    first, *others = answer.choices
    for source in others:
        message = f"Choice {source.choice.index} has no place beside the first in {losses.noun}."
        losses.add(LossCode.CHOICE_DROPPED, source.pointer, message)
    report_role(first, losses)
    return first


def report_role(source: SourceChoice, losses: LossList) -> None:
    """Tell that a role was sent that says something else than that a model answers."""
    role = source.choice.role
    if known(role) and role not in ("assistant", "model"):
        message = f"The role {role} is given as that of a model's answer."
        losses.add(LossCode.ROLE_CHANGED, source.pointer, message)


def writable_parts(source: SourceChoice, losses: LossList) -> tuple[SourcePart, ...]:
    """Texts with something in them and calls with a name for their tool; all others are dropped."""
    parts = []
    for part in source.parts:
        if part.call is not None or (part.kind in FIELD_ORDER and part.text):
            parts.append(part)
        else:
            code, why = DROPPED_KINDS.get(part.kind, (LossCode.PART_DROPPED, "has"))
            message = f"{part.type or part.kind} {why} no place in {losses.noun}."
            losses.add(code, part.pointer, message)
    return tuple(parts)


def report_order(parts: Sequence[SourcePart], losses: LossList) -> None:
    """Tell that parts came in an order which the fields of one message do not show."""
    ranks = [FIELD_ORDER.index(part.kind) for part in parts]
    pairs = zip(ranks, ranks[1:], parts[1:], strict=False)
    broken = next((part for before, rank, part in pairs if rank < before), None)
    if broken is not None:
        order = " – ".join(part.type or part.kind for part in parts)
        message = f"The order {order} is lost: {losses.noun} has a field for each kind of part."
        losses.add(LossCode.ORDER_CHANGED, broken.pointer, message)


def joined_text(parts: Sequence[SourcePart], kind: BlockKind, losses: LossList) -> str | None:
    """All texts of a kind as one, without separator; None if there are none."""
    found = [part for part in parts if part.kind is kind]
    if len(found) > 1:
        message = f"{len(found)} parts of {kind} are joined to one text."
        losses.add(LossCode.TEXTS_CHANGED, found[0].pointer, message)
    return "".join(part.text for part in found) if found else None


def refusal_as_text(part: SourcePart, losses: LossList) -> str:
    """The text of a refusal, for formats in which it has no place of its own."""
    message = f"The refusal is given as text: {losses.noun} has no place of its own for it."
    losses.add(LossCode.REFUSAL_CHANGED, part.pointer, message)
    return part.text


# -- calls ----------------------------------------------------------------------------------------


def call_members(call: SourceCall, losses: LossList, into: str = "id") -> dict[str, Json]:
    """Id and name of a call as they were sent; what was not sent stays absent."""
    if call.id is UNSET:
        message = "The call has no id: none is made up."
        losses.add(LossCode.CALL_ID_LACKING, call.pointer, message)
    if call.is_legacy:
        message = "The deprecated function call is given as a tool call."
        losses.add(LossCode.CALL_CHANGED, call.pointer, message)
    if call.name is UNSET:
        losses.add(LossCode.NAME_LACKING, call.pointer, "The call has no name: none is made up.")
    sent = {into: call.id, "name": call.name}
    return {name: value for name, value in sent.items() if value is not UNSET}


def call_id_and_name(call: SourceCall, losses: LossList) -> tuple[dict[str, Json], dict[str, Json]]:
    """``call_members`` for formats that have the id beside the function and the name in it."""
    name = call_members(call, losses)
    return ({"id": name.pop("id")} if "id" in name else {}), name


def arguments_object(call: SourceCall, losses: LossList) -> Json:
    """Arguments as the object that they are. What is no object stays the text that was sent."""
    text = call.call.arguments_text
    if call.is_custom:
        message = f"The free text of a custom tool is given as it is: {losses.noun} has an object."
        losses.add(LossCode.CALL_CHANGED, call.pointer, message)
        return text
    if not text:
        losses.add(LossCode.ARGUMENTS_CHANGED, call.pointer, "Empty arguments are given as {}.")
        return {}
    parsed = parse_json(text.encode("utf-8", "surrogatepass"))
    if isinstance(parsed.value, dict) and parsed.fatal is None and not call.call.arguments_cause:
        return parsed.value
    message = f"The arguments are no JSON object, as {losses.noun} has them: given as text."
    losses.add(LossCode.ARGUMENTS_CHANGED, call.pointer, message)
    return text
