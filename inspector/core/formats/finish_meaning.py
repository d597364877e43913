"""Meanings of finish reasons, however their format spells them."""

from enum import StrEnum


class FinishMeaning(StrEnum):
    """Why an answer ended."""

    COMPLETE = "the answer is complete"
    STOP_SEQUENCE = "a stop sequence came"
    CALLED = "tools are called"
    FUNCTION_CALLED = "a function is called"
    """By the deprecated field of chat completions, beside which there are no tool calls."""
    LENGTH = "the length limit was hit"
    CONTEXT = "the limit of the model's context was hit"
    ABORTED = "the request was ended from outside"
    FILTERED = "a content filter ended it"
    REFUSED = "the model refused"
    PAUSED = "the provider paused"
    UNUSABLE_CALL = "the model made an unusable call"
    FAILED = "the provider failed"
    ERROR_BESIDE = "the provider failed, as the error beside it says"
    OTHER = "something else ended it"
