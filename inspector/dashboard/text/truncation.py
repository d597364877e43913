"""Sentence about what the stored analysis of a large capture leaves out."""

from __future__ import annotations

from inspector.archive.storage.document import TruncatedValue
from inspector.formatting.humanize import plural
from inspector.formatting.wire_values import join_names

MAX_NAMED = 4


def truncation_sentence(cuts: tuple[TruncatedValue, ...]) -> str:
    """Returns the sentence; empty if nothing was truncated."""
    if not cuts:
        return ""
    parts = [truncated_part(cut) for cut in cuts[:MAX_NAMED]]
    if len(cuts) > MAX_NAMED:
        parts.append(f"{len(cuts) - MAX_NAMED:,} more")
    return (
        f"The stored analysis is shown, without all of {join_names(parts)}. The raw bytes have it."
    )


def truncated_part(cut: TruncatedValue) -> str:
    is_logprobs = cut.pointer.endswith("/logprobs")
    length = plural(cut.length, "token") if is_logprobs else f"{cut.length:,} long"
    return f"{cut.pointer} ({length})"
