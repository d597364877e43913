"""Folds candidates, the choices of Gemini: their fields, sources and log probabilities."""

from typing import Any

from msgspec import UNSET

from inspector.core.completion import list_or_empty
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.message import ChoiceFold
from inspector.core.formats.grammar import Candidate, CandidateField, CandidateLogprobs
from inspector.core.json import Json


def _take_candidate(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a choice that names its number; without a number it is the first."""
    answer, name = context.answer, node.effect.index
    if not isinstance(value, dict):
        context.note(Anomaly.BAD_CHOICE, path, "choice")
        return
    stated = value if value.get(name) is not None else {name: path[-1] if context.is_whole else 0}
    fold = answer.choice_fold(stated, name, path)
    if fold is None:
        return
    if fold.index != answer.at_choice:
        answer.turn_to(fold.index)
    context.choice = fold
    fold.blocks.is_used = True
    outer = context.mapping
    context.mapping = ((*context.place_of(path[:-1]), fold.index), len(path))
    descend(context, node, value, path)
    context.mapping = outer


def _take_field(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Keep a field that many chunks repeat: only another value is worth the work."""
    fields, name, effect = context.choice.fields, path[-1], node.effect
    if name in fields and fields[name] == value:
        return
    context.is_steady = False
    if isinstance(value, dict):
        joined = {
            member: _joined(context.choice, (name, member), value) for member in effect.joined
        }
        value = value | {member: items for member, items in joined.items() if items}
    context.choice.take_field(name, value)
    context.keep(path, value)


def _joined(choice: ChoiceFold, at: tuple[str, str], value: dict[str, Json]) -> list[Json]:
    """Return the items that a list had so far, with those of this chunk that it did not have."""
    items = choice.joined.setdefault(at, {})
    for item in list_or_empty(value.get(at[1])):
        items.setdefault(repr(item), item)
    return list(items.values())


def _take_logprobs(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    """Take the tokens of a chunk; those of a stream follow each other."""
    context.is_steady = False
    if not isinstance(value, dict):
        context.choice.take_field(path[-1], value)
        return
    _keep_lists(context, value, path)
    tokens = context.choice.fields.setdefault("logprobs", {"content": []})["content"]
    likeliest = list_or_empty(value.get("topCandidates"))
    for step, chosen in enumerate(list_or_empty(value.get("chosenCandidates"))):
        beside = likeliest[step] if step < len(likeliest) else None
        others = beside.get("candidates") if isinstance(beside, dict) else None
        token = _token(chosen)
        if isinstance(token, dict) and isinstance(others, list):
            token["top_logprobs"] = [_token(other) for other in others]
        tokens.append(token)


def _token(sent: Json) -> Json:
    """Return a token under the names of chat completions; what is no object stays so."""
    if not isinstance(sent, dict):
        return sent
    found = {"token": sent.get("token", UNSET), "logprob": sent.get("logProbability", UNSET)}
    return {name: value for name, value in found.items() if value is not UNSET}


def _keep_lists(context: FoldState, value: dict[str, Json], path: Path) -> None:
    for name, item in value.items():
        if isinstance(item, list):
            context.add_items((*path, name), item)
        else:
            context.keep((*path, name), item)


HANDLERS: Handlers = {
    Candidate: _take_candidate,
    CandidateField: _take_field,
    CandidateLogprobs: _take_logprobs,
}
