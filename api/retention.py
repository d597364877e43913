"""Retention rules of a team."""

from typing import Annotated, Literal

import msgspec
from django.http.response import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from api.api_error import ApiError, existing
from api.authentication import principal_of
from api.body import read_json
from api.endpoint import Endpoint
from api.lookup import number_of
from api.operation import ResponseBody, conditional_get, operation
from api.responses import json_response, json_with_etag
from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import (
    MAX_DAYS,
    MAX_RULES,
    QUERY_CHARACTERS,
    RetentionForecast,
    RetentionRuleStatus,
    RuleRefusal,
)
from inspector.archive.models import RetentionClock

RULE_REFUSALS = {
    RuleRefusal.NOT_UNDERSTOOD: (422, "invalid_body", "the query is not understood"),
    RuleRefusal.DAYS: (422, "invalid_body", "days is out of range"),
    RuleRefusal.NO_QUERY: (422, "invalid_body", "of a deleted capture nothing can be asked"),
    RuleRefusal.TOO_MANY: (409, "too_many_rules", f"the team has {MAX_RULES} rules already"),
    RuleRefusal.FORBIDDEN: (403, "missing_scope", "this needs the scope delete"),
}
Query = Annotated[str, Meta(max_length=QUERY_CHARACTERS)]


class NewRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule to add, switched off: what it deletes, of which captures, and after how many days. An
    empty query is all.
    """

    clock: Literal["captures", "bodies", "tombstones"]
    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)]
    query: Query = ""


class RuleSwitch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Switches a rule on or off."""

    is_on: bool


class RuleDetail(msgspec.Struct, frozen=True):
    """A rule with what it would delete now, less what is pinned; null where counting takes too
    long.
    """

    rule: RetentionRuleStatus
    forecast: RetentionForecast | None


class RuleList(msgspec.Struct, frozen=True):
    """In the order in which they were added."""

    rules: tuple[RetentionRuleStatus, ...]


class RuleListEndpoint(Endpoint):
    @conditional_get(
        "list_retention_rules",
        "list the retention rules of the team",
        ResponseBody("the rules", RuleList),
    )
    def get(self, request: Request) -> HttpResponseBase:
        return json_with_etag(request, RuleList(retention_rules.rules(principal_of(request))))

    @operation(
        "add_retention_rule",
        "add a retention rule, switched off",
        ResponseBody("the rule", RetentionRuleStatus, status=201),
        reads=NewRule,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponseBase:
        wanted = read_json(request._request, NewRule)
        found = retention_rules.add_rule(
            principal_of(request), RetentionClock(wanted.clock), wanted.query, wanted.days
        )
        if isinstance(found, RuleRefusal):
            raise ApiError(*RULE_REFUSALS[found])
        return json_response(found, 201)


class RuleEndpoint(Endpoint):
    @conditional_get(
        "show_retention_rule",
        "get a rule with what it would delete now",
        ResponseBody("the rule", RuleDetail),
    )
    def get(self, request: Request, rule: str) -> HttpResponseBase:
        principal, number = principal_of(request), number_of(rule)
        found = existing(retention_rules.rule_status(principal, number))
        forecast = retention_rules.forecast(principal, number)
        return json_with_etag(request, RuleDetail(found, forecast))

    @operation(
        "switch_retention_rule",
        "switch a rule on or off; what is off deletes nothing more from this moment on",
        ResponseBody("the rule", RetentionRuleStatus),
        reads=RuleSwitch,
    )
    def patch(self, request: Request, rule: str) -> HttpResponseBase:
        switch = read_json(request._request, RuleSwitch)
        found = existing(
            retention_rules.turn_rule(principal_of(request), number_of(rule), switch.is_on)
        )
        return json_response(found)

    @operation(
        "remove_retention_rule",
        "remove a rule",
        ResponseBody("the rule as it was", RetentionRuleStatus),
    )
    def delete(self, request: Request, rule: str) -> HttpResponseBase:
        removed = existing(retention_rules.remove_rule(principal_of(request), number_of(rule)))
        return json_response(removed)
