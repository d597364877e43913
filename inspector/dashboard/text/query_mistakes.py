"""Why a query is not understood, in words."""

from django.utils import timezone

from inspector.archive.listing.filter_params import query_conditions
from inspector.query.language import FilterMistake

SHOWN = 3
"""Mistakes that are told."""
NAME_CHARACTERS = 80
"""Any text in front of a colon is one."""


def mistake_words(query: str) -> str:
    """Such as ``The query was not understood: nonsense is no field.``"""
    mistakes = query_conditions(query, timezone.now()).mistakes[:SHOWN]
    said = "; ".join(f"{_subject(each)} {each.sentence}" for each in mistakes)
    end = "" if said.endswith("?") else "."
    return f"The query was not understood: {said}{end}" if said else "The query is too long."


def _subject(mistake: FilterMistake) -> str:
    """Return the field; the query itself has no name on a form."""
    return "it" if mistake.name == "q" else mistake.name[:NAME_CHARACTERS]
