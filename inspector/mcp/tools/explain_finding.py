"""Explains the code of a finding."""

from typing import Annotated, Any

import msgspec
from django.conf import settings
from msgspec import Meta

from api.api_error import ApiError
from inspector.core.rules import finding_codes, finding_type_of
from inspector.documentation.library import address_of
from inspector.mcp.tool import Tool
from inspector.query.resolve import nearest
from inspector.teams.access import Principal


class ExplainArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: Annotated[str, Meta(max_length=100, description="as in stream.no-end-mark")]


def explain(principal: Principal, given: ExplainArguments) -> dict[str, Any]:
    found = finding_type_of(given.code)
    if found is None:
        near = nearest(given.code, finding_codes())
        hint = f"; did you mean {near}?" if near else ""
        raise ApiError(404, "not_found", f"no finding has this code{hint}")
    return {
        "code": found.code,
        "severity": str(found.severity),
        "looks_for": found.help,
        "impact": found.impact,
        "find": f"rule:{found.code}",
        "page": f"{settings.ORIGIN}{address_of(f'rules/{found.code}')}",
    }


TOOL = Tool(
    name="explain_finding",
    title="Explain a finding",
    description="What the code of a finding looks for, what breaks because of it, and the query"
    " that finds all captures with it.",
    arguments=ExplainArguments,
    run=explain,
    is_recorded=False,
)
