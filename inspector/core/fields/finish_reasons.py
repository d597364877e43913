"""Finish reasons of all formats and vendors, as they are spelt, with what they mean.

Formats state theirs in their dialect. A spelling means the same wherever it comes from: gateways
send the words of other formats.
"""

from collections.abc import Mapping
from functools import cache

from inspector.core import formats
from inspector.core.completion import Result
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.core.json import Json

VENDOR_SPELLINGS: Mapping[str, FinishMeaning] = {
    # OpenRouter, Mistral, vLLM; DeepSeek; Z.ai.
    "error": FinishMeaning.FAILED,
    "insufficient_system_resource": FinishMeaning.FAILED,
    "network_error": FinishMeaning.FAILED,
    "sensitive": FinishMeaning.FILTERED,
    # Mistral; gateways and local servers; vLLM and SGLang.
    "model_length": FinishMeaning.LENGTH,
    "max_length": FinishMeaning.LENGTH,
    "context_length_exceeded": FinishMeaning.CONTEXT,
    "timeout": FinishMeaning.FAILED,
    "abort": FinishMeaning.ABORTED,
}
"""Those that vendors of chat completions add to the format."""
MEANING_RESULTS: Mapping[FinishMeaning, Result] = {
    FinishMeaning.FAILED: Result.ERROR,
    FinishMeaning.ERROR_BESIDE: Result.ERROR,
    FinishMeaning.REFUSED: Result.REFUSED,
    FinishMeaning.FILTERED: Result.FILTERED,
    FinishMeaning.LENGTH: Result.TRUNCATED,
    FinishMeaning.CONTEXT: Result.TRUNCATED,
    FinishMeaning.ABORTED: Result.TRUNCATED,
    FinishMeaning.UNUSABLE_CALL: Result.UNUSABLE_CALL,
    FinishMeaning.PAUSED: Result.TO_BE_CONTINUED,
}
"""Meanings that decide a result."""
CALLING = frozenset({FinishMeaning.CALLED, FinishMeaning.FUNCTION_CALLED})
ORDINARY = frozenset({FinishMeaning.COMPLETE, FinishMeaning.STOP_SEQUENCE, *CALLING})
"""Meanings of a complete answer."""


@cache
def finish_meanings() -> Mapping[str, FinishMeaning]:
    """Return the meaning of each finish reason, in the order of the meanings."""
    found = dict(VENDOR_SPELLINGS)
    for dialect in formats.dialects().values():
        found.update(dialect.finish_reasons)
    order = list(FinishMeaning)
    return dict(sorted(found.items(), key=lambda each: order.index(each[1])))


@cache
def _folded_meanings() -> Mapping[str, FinishMeaning]:
    return {_folded(reason): meaning for reason, meaning in finish_meanings().items()}


def _folded(reason: str) -> str:
    """Return a finish reason without what sets spellings of the same words apart."""
    return reason.replace("-", "").replace("_", "").replace(" ", "").lower()


def meaning_of(reason: Json) -> FinishMeaning | None:
    """Return the meaning of a finish reason, also in other letters (``MAX_TOKENS``, ``max-tokens``,
    ``maxTokens``); None if it is not known.
    """
    if not isinstance(reason, str):
        return None
    return finish_meanings().get(reason) or _folded_meanings().get(_folded(reason))


def result_of(reason: Json) -> Result | None:
    """Return the result that a finish reason decides; None if it leaves it to the content."""
    meaning = meaning_of(reason)
    return None if meaning is None else MEANING_RESULTS.get(meaning)


@cache
def common_in(dialect: str | None) -> frozenset[str]:
    """Return the finish reasons by which complete answers of a dialect end, by its documents."""
    known = formats.dialects()[dialect].finish_reasons if dialect else {}
    return frozenset(reason for reason, meaning in known.items() if meaning in ORDINARY)


def is_model_end(reason: Json) -> bool:
    """Return True if the model ended its answer by itself."""
    return meaning_of(reason) is FinishMeaning.COMPLETE


def is_length_limit(reason: Json) -> bool:
    """Return True if the length limit ended the answer."""
    return meaning_of(reason) is FinishMeaning.LENGTH
