"""Sentence about what is not kept of what was read of a large capture."""

from inspector.archive.readouts import TruncatedValue
from inspector.formatting.humanize import plural
from inspector.formatting.wire_values import join_names

MAX_NAMED = 4
"""It is one sentence; the API's `truncated` has all of them."""


def truncation_sentence(cuts: tuple[TruncatedValue, ...]) -> str:
    """Return the sentence; empty if nothing was truncated."""
    if not cuts:
        return ""
    parts = [truncated_part(cut) for cut in cuts[:MAX_NAMED]]
    if len(cuts) > MAX_NAMED:
        parts.append(f"{len(cuts) - MAX_NAMED:,} more")
    return f"Too large to be kept whole: without all of {join_names(parts)}. The raw bytes have it."


def truncated_part(cut: TruncatedValue) -> str:
    is_logprobs = cut.pointer.endswith("/logprobs")
    length = plural(cut.length, "token") if is_logprobs else f"{cut.length:,} long"
    return f"{cut.pointer} ({length})"
