"""Parses whole numbers from URLs and forms."""

from django.http import HttpRequest

MAX_DIGITS = 11
"""99 GB of a form, any place in a body; ids of rows are not near it."""


def parse_whole_number(text: str) -> int | None:
    """Return the number; None for anything but ASCII digits, and for numbers beyond any offset."""
    is_number = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if is_number else None


def number_param(request: HttpRequest, name: str, default: int = 0) -> int:
    number = parse_whole_number(request.GET.get(name, ""))
    return default if number is None else number
