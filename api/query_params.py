"""Parses query parameters, each once unless declared repeatable; unknown names are errors."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from django.http import QueryDict

from api.api_error import ApiError
from inspector.query.resolve import abbreviated, nearest

# As in "50". Not "+50", "5_0" or "٥", which `int` would take.
_NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True, slots=True)
class QueryParams:
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
            raise invalid_parameter(name, "is no whole number above 0")
        return int(text)


def query_params(
    sent: QueryDict, once: Collection[str] = (), many: Collection[str] = ()
) -> QueryParams:
    values = {name: list(found) for name, found in sent.lists()}
    for name, found in values.items():
        if name not in once and name not in many:
            raise _unknown_parameter(name, (*once, *many))
        if name in once and len(found) > 1:
            raise invalid_parameter(name, "stands more than once")
    return QueryParams(values)


def _unknown_parameter(name: str, known: Collection[str]) -> ApiError:
    near = nearest(name, known)
    hint = f"; did you mean {near}?" if near else ""
    return ApiError(422, "unknown_parameter", f"unknown query parameter {abbreviated(name)}{hint}")


def invalid_parameter(name: str, what: str) -> ApiError:
    return ApiError(422, "invalid_parameter", f"query parameter {abbreviated(name)} {what}")
