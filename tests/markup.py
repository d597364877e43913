"""Markup without the white space of its template: where a line ends there, no test needs to know."""

import re


def evened(html: str) -> str:
    """Leave no white space beside the brackets of a tag, and one blank wherever else it is."""
    return re.sub(r"\s*([<>])\s*", r"\1", re.sub(r"\s+", " ", html))
