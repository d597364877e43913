"""Markup and its words without the white space of a template: where a line ends, no test knows."""

import re
from html import unescape


def evened(html: str) -> str:
    """Leave no white space beside the brackets of a tag, and one blank wherever else it is."""
    return re.sub(r"\s*([<>])\s*", r"\1", re.sub(r"\s+", " ", html))


def words(html: str) -> str:
    """Leave the text, with one blank for whatever is between two words."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()
