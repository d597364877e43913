"""Query parameters: the named ones, once each unless said otherwise; others are refused by name."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from rest_framework.request import Request

from api.refusal import Refusal
from inspector.archive.conditions import shown

_NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class Parameters:
    values: dict[str, list[str]]

    def one(self, name: str) -> str | None:
        found = self.values.get(name)
        return found[0] if found else None

    def many(self, name: str) -> tuple[str, ...]:
        return tuple(self.values.get(name, ()))

    def number(self, name: str, default: int) -> int:
        text = self.one(name)
        if text is None:
            return default
        if not _NUMBER.fullmatch(text) or int(text) == 0:
            raise wrong(name, "is no whole number above 0")
        return int(text)


def parameters(
    request: Request, once: Collection[str] = (), many: Collection[str] = ()
) -> Parameters:
    values = {name: list(found) for name, found in request._request.GET.lists()}
    for name, found in values.items():
        if name not in once and name not in many:
            raise Refusal(422, "unknown_parameter", f"unknown query parameter {shown(name)}")
        if name in once and len(found) > 1:
            raise wrong(name, "stands more than once")
    return Parameters(values)


def wrong(name: str, what: str) -> Refusal:
    return Refusal(422, "invalid_parameter", f"query parameter {shown(name)} {what}")
