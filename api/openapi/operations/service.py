"""The operation that describes this installation."""

from __future__ import annotations

from api.openapi.operation import operation
from api.openapi.schema import ref

root = operation(
    "describe_service", "limits, versions, filters, links", {200: ("the description", ref("Root"))}
)
