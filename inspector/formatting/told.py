"""The words of captures that a program tells of: no byte of them is what a provider sent."""

from inspector.core.formats import dialects

TOLD_SENTENCE = (
    "Told by OpenTelemetry: no byte of this is what a provider sent, and no read has a time."
)


def told_sentence(dialect: str | None) -> str:
    """Return the sentence for a dialect by its slug, "" for one that providers send."""
    found = dialects().get(dialect or "")
    return TOLD_SENTENCE if found is not None and found.is_told else ""
