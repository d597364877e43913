"""Retention rules of a team."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.lookup import number_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.retention import NewRule, RuleDetail, RuleList, RuleSwitch
from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import MAX_RULES, RuleRefusal
from inspector.archive.models import RetentionClock

RULE_REFUSALS = {
    RuleRefusal.NOT_UNDERSTOOD: (422, "invalid_body", "the query is not understood"),
    RuleRefusal.DAYS: (422, "invalid_body", "days is out of range"),
    RuleRefusal.NO_QUERY: (422, "invalid_body", "of a deleted capture nothing can be asked"),
    RuleRefusal.TOO_MANY: (409, "too_many_rules", f"the team has {MAX_RULES} rules already"),
    RuleRefusal.FORBIDDEN: (403, "missing_scope", "this needs the scope delete"),
}


class RuleListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, RuleList(retention_rules.rules(principal_of(request))))

    def post(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        wanted = read_json(request._request, NewRule)
        found = retention_rules.add_rule(
            principal_of(request), RetentionClock(wanted.clock), wanted.query, wanted.days
        )
        if isinstance(found, RuleRefusal):
            raise ApiError(*RULE_REFUSALS[found])
        return json_response(found, 201)


class RuleEndpoint(APIView):
    def get(self, request: Request, rule: str) -> HttpResponseBase:
        principal, number = principal_of(request), number_of(rule)
        found = retention_rules.rule_status(principal, number)
        if found is None:
            raise not_found()
        read_query_params(request)
        forecast = retention_rules.forecast(principal, number)
        return json_with_etag(request, RuleDetail(found, forecast))

    def patch(self, request: Request, rule: str) -> HttpResponseBase:
        read_query_params(request)
        switch = read_json(request._request, RuleSwitch)
        found = retention_rules.turn_rule(principal_of(request), number_of(rule), switch.is_on)
        if found is None:
            raise not_found()
        return json_response(found)

    def delete(self, request: Request, rule: str) -> HttpResponseBase:
        read_query_params(request)
        removed = retention_rules.remove_rule(principal_of(request), number_of(rule))
        if removed is None:
            raise not_found()
        return json_response(removed)
