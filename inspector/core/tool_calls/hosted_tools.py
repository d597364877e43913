"""Tools that the provider runs itself: how each format says that one failed."""

from inspector.core.completion import Block, BlockKind, known, list_or_empty
from inspector.core.findings import shorten
from inspector.core.json import Json

FAILED_OUTCOMES = ("OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED")
"""Failures of code that Gemini ran."""


def hosted_fault(block: Block) -> str | None:
    """Why a block's tool failed, to end a sentence; "" if that is not said, None if it did not."""
    if block.kind is not BlockKind.HOSTED or not isinstance(block.value, dict):
        return None
    return next((fault for fault in _faults(block.value) if fault is not None), None)


def _faults(value: dict[str, Json]) -> tuple[str | None, ...]:
    return (
        _fault_of_content(value),
        _fault_of_call(value),
        _fault_of_code(value),
        _fault_of_result(value),
    )


def _fault_of_content(value: dict[str, Json]) -> str | None:
    """Anthropic: the result has the type of an error, or is marked as one."""
    content = value.get("content")
    if isinstance(content, dict) and str(content.get("type")).endswith("_error"):
        return _words(content.get("error_code"))
    return "" if value.get("is_error") is True else None


def _fault_of_call(value: dict[str, Json]) -> str | None:
    """Responses: the item has an error, or its status says so."""
    error = value.get("error")
    if error:
        said = error.get("message") if isinstance(error, dict) else error
        return _words(said)
    return "" if value.get("status") == "failed" else None


def _fault_of_code(value: dict[str, Json]) -> str | None:
    """Gemini: the outcome of the code."""
    ran = value.get("codeExecutionResult")
    outcome = ran.get("outcome") if isinstance(ran, dict) else None
    return _words(outcome) if outcome in FAILED_OUTCOMES else None


def _fault_of_result(value: dict[str, Json]) -> str | None:
    """Bedrock's Converse: the status of the result; its content says why."""
    result = value.get("toolResult")
    if not isinstance(result, dict) or result.get("status") != "error":
        return None
    said = (
        one.get("text") for one in list_or_empty(result.get("content")) if isinstance(one, dict)
    )
    return _words(next(filter(None, said), None))


def _words(said: Json) -> str:
    return f": {shorten(said)}" if known(said) and said else ""
