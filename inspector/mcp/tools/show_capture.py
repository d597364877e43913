"""The facts of one capture, or a part of them."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta

from api.api_error import ApiError
from api.captures.capture import capture_detail
from inspector.core.json.encoding import plain_value
from inspector.core.json.pointer import steps_of, value_at
from inspector.mcp.arguments import CaptureId, opened_capture
from inspector.mcp.bounds import without_empty
from inspector.mcp.tool import Tool
from inspector.teams.access import Principal
from inspector.usage.rollup import queries as usage

TEXT_CHARACTERS, ENTRIES = 8_000, 100
"""Length of a part that is asked for alone."""
LEFT_OUT = (
    "/completion",
    "/ledger",
    "/analysis/timeline",
    "/analysis/findings",
    "/analysis/verdict_clauses",
    "/analysis/result_clauses",
    "/analysis/choices/*/blocks",
)
"""Parts that a first look leaves to ``at``: they are long, or say again what stands elsewhere."""


class ShowArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: CaptureId
    at: Annotated[
        str,
        Meta(
            max_length=1_000,
            pattern="^(/.*)?$",
            description="JSON Pointer to a part, for what a first answer cut or left out:"
            " /analysis/choices/0/content, /analysis/timeline, /completion",
        ),
    ] = ""
    start: Annotated[int, Meta(ge=0, description="where in the text or list at `at` to begin")] = 0


def show(principal: Principal, given: ShowArguments) -> Any:
    capture = opened_capture(principal, given.id)
    price = usage.for_principal(principal).price(capture.row.id)
    facts: dict[str, Any] = plain_value(capture_detail(capture, price))
    if not given.at:
        return _first_look(facts)
    if capture.analysis is not None:
        facts["completion"] = plain_value(capture.analysis.completion)
    part = value_at(facts, given.at)
    if part is UNSET:
        raise ApiError(404, "not_found", f"nothing stands at {given.at[:200]}")
    return _part(part, given.start)


def _first_look(facts: dict[str, Any]) -> dict[str, Any]:
    for pointer in LEFT_OUT:
        _remove(facts, steps_of(pointer))
    told = {
        name: without_empty(value) if isinstance(value, dict) else value
        for name, value in facts.items()
    }
    return {**without_empty(told), "left_out": LEFT_OUT}


def _remove(value: Any, steps: list[str]) -> None:
    """Remove a member of an object, by the steps to it; ``*`` is every entry of a list."""
    first, *rest = steps
    if first == "*":
        for each in value:
            _remove(each, rest)
    elif isinstance(value, dict) and rest:
        _remove(value.get(first), rest)
    elif isinstance(value, dict):
        value.pop(first, None)


def _part(value: Any, start: int) -> dict[str, Any]:
    if not isinstance(value, str | list | tuple):
        return {"value": value}
    most = TEXT_CHARACTERS if isinstance(value, str) else ENTRIES
    return {"value": value[start : start + most], "start": start, "length": len(value)}


TOOL = Tool(
    name="show_capture",
    title="Show a capture",
    description=(
        "The facts of one capture: verdict and result with their reasons, model, choices with"
        " texts and tool calls, usage as a ledger, cost with its receipt, the exchange around it."
        " Long texts are cut; `at` reads a part."
    ),
    arguments=ShowArguments,
    run=show,
)
