"""Redaction rules of a team: what they would overwrite, and the bulk job that does it."""

from collections.abc import Collection

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.bulk import accepted, other_count
from api.captures import requested_conditions
from api.lookup import number_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.redaction import (
    BulkRedactionRequest,
    DryRunRequest,
    NewRedactionRule,
    RedactionRuleList,
    dry_run_result,
)
from api.schemas.retention import RuleSwitch
from inspector.archive import redaction_rules
from inspector.archive.background import bulk_jobs
from inspector.archive.background.bulk_jobs import OtherCount
from inspector.archive.redaction_dry_run import dry_run
from inspector.archive.redaction_rules import MAX_RULES, RedactionRefusal
from inspector.core.redaction.rule_fault import RuleFault
from inspector.core.redaction_mark import MaskRule
from inspector.formatting.redaction_faults import FAULT_SENTENCES

REFUSALS = {
    RedactionRefusal.TOO_MANY: (409, "too_many_rules", f"the team has {MAX_RULES} rules already"),
    RedactionRefusal.KNOWN: (409, "rule_known", "the team has this rule already"),
    RedactionRefusal.FORBIDDEN: (403, "missing_scope", "this needs the scope delete"),
}


class RedactionRuleListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        rules = redaction_rules.redaction_rules(principal_of(request))
        return json_with_etag(request, RedactionRuleList(rules))

    def post(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        wanted = read_json(request._request, NewRedactionRule)
        found = redaction_rules.add_redaction_rule(principal_of(request), wanted.kind, wanted.text)
        if isinstance(found, RuleFault):
            raise ApiError(422, "invalid_body", FAULT_SENTENCES[found])
        if isinstance(found, RedactionRefusal):
            raise ApiError(*REFUSALS[found])
        return json_response(found, 201)


class RedactionRuleEndpoint(APIView):
    def get(self, request: Request, redaction: str) -> HttpResponseBase:
        found = redaction_rules.redaction_rule(principal_of(request), number_of(redaction))
        if found is None:
            raise not_found()
        read_query_params(request)
        return json_with_etag(request, found)

    def patch(self, request: Request, redaction: str) -> HttpResponseBase:
        read_query_params(request)
        switch = read_json(request._request, RuleSwitch)
        found = redaction_rules.turn_redaction_rule(
            principal_of(request), number_of(redaction), switch.is_on
        )
        if found is None:
            raise not_found()
        return json_response(found)

    def delete(self, request: Request, redaction: str) -> HttpResponseBase:
        read_query_params(request)
        removed = redaction_rules.remove_redaction_rule(principal_of(request), number_of(redaction))
        if removed is None:
            raise not_found()
        return json_response(removed)


class DryRunEndpoint(APIView):
    def post(self, request: Request) -> HttpResponseBase:
        conditions = requested_conditions(request)
        wanted = read_json(request._request, DryRunRequest)
        rules = rules_named(request, wanted.rules)
        found = dry_run(principal_of(request), rules, conditions)
        if found is None:
            raise ApiError(403, "missing_scope", "this also needs the scope read")
        return json_response(dry_run_result(found, rules))


class BulkRedactionEndpoint(APIView):
    def post(self, request: Request) -> HttpResponseBase:
        conditions = requested_conditions(request)
        wanted = read_json(request._request, BulkRedactionRequest)
        found = bulk_jobs.request_confirmed_redaction(
            principal_of(request),
            rules_named(request, wanted.rules),
            conditions,
            wanted.confirm_captures,
        )
        if found is None:
            raise ApiError(403, "missing_scope", "this also needs the scope read")
        if isinstance(found, OtherCount):
            raise other_count(found)
        return accepted(found)


def rules_named(request: Request, numbers: Collection[int] | None) -> tuple[MaskRule, ...]:
    """Return the rules that a body names, or all. Raises ``ApiError`` where there is none such."""
    rules = redaction_rules.rules_to_apply(principal_of(request), numbers)
    unknown = set(numbers or ()).difference(rule.id for rule in rules)
    if unknown:
        raise ApiError(422, "invalid_body", f"the team has no rule {min(unknown)}")
    if not rules:
        raise ApiError(409, "no_rules", "there is no rule to apply")
    return rules
