"""What the stored reading lacks, in a sentence: a large capture is shown by it."""

from __future__ import annotations

from inspector.archive.document import Cut
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import listed

MOST_NAMED = 4


def cuts_sentence(cuts: tuple[Cut, ...]) -> str:
    """Empty where nothing is cut."""
    if not cuts:
        return ""
    parts = [part_of(cut) for cut in cuts[:MOST_NAMED]]
    if len(cuts) > MOST_NAMED:
        parts.append(f"{len(cuts) - MOST_NAMED:,} more")
    return f"The stored analysis is shown, without all of {listed(parts)}. The raw bytes have it."


def part_of(cut: Cut) -> str:
    is_logprobs = cut.pointer.endswith("/logprobs")
    length = plural(cut.length, "token") if is_logprobs else f"{cut.length:,} long"
    return f"{cut.pointer} ({length})"
