"""A step of connecting: a text to paste."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PasteStep:
    slug: str
    title: str
    code: str
    note: str = ""
