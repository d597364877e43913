"""Redaction rules of a team: what they would overwrite, and the bulk job that does it."""

from collections.abc import Collection, Sequence
from typing import Annotated

import msgspec
from django.http.response import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from api.api_error import ApiError, existing, needs_read
from api.authentication import principal_of
from api.body import read_json
from api.captures.bulk import accepted
from api.captures.filters import capture_conditions_of
from api.endpoint import Endpoint
from api.lookup import number_of
from api.operation import ResponseBody, conditional_get, operation
from api.responses import json_response, json_with_etag
from api.retention import RuleSwitch
from inspector.archive import redaction_rules
from inspector.archive.background import bulk_jobs
from inspector.archive.background.bulk_jobs import BulkJobStatus
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.member_types import Count
from inspector.archive.redaction_dry_run import DryRun, DryRunHit, dry_run
from inspector.archive.redaction_rules import (
    MAX_RULES,
    TEXT_CHARACTERS,
    RedactionRefusal,
    RedactionRuleStatus,
)
from inspector.core.redaction.rule_fault import RuleFault
from inspector.core.redaction_mark import MaskKind, MaskRule
from inspector.core.same_fields import struct_of
from inspector.formatting.redaction_faults import FAULT_SENTENCES

REFUSALS = {
    RedactionRefusal.TOO_MANY: (409, "too_many_rules", f"the team has {MAX_RULES} rules already"),
    RedactionRefusal.KNOWN: (409, "rule_known", "the team has this rule already"),
    RedactionRefusal.FORBIDDEN: (403, "missing_scope", "this needs the scope delete"),
}
RuleId = Annotated[int, Meta(ge=1, le=(1 << 63) - 1)]
RuleIds = Annotated[tuple[RuleId, ...], Meta(min_length=1, max_length=MAX_RULES)]


class NewRedactionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule to add, switched off. `text` is the name of a preset (`email`, `card`, `iban`,
    `phone`, `key`), a word with the wildcards `*`, `#` and `?`, or a path into JSON.
    """

    kind: MaskKind
    text: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS)]


class RedactionRuleList(msgspec.Struct, frozen=True):
    """In the order in which they were added."""

    rules: tuple[RedactionRuleStatus, ...]


class DryRunRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules to try, by their ids; all of the team, on or off, where none are named."""

    rules: RuleIds | None = None


class RulePlaces(msgspec.Struct, frozen=True):
    """How many passages a rule would overwrite, wherever they stand."""

    rule: int
    count: Count


class DryRunResult(msgspec.Struct, frozen=True, kw_only=True):
    """Passages that rules would overwrite in the newest captures of the query. `captures` of those
    `looked_at` have a passage; `too_large` were not searched. `is_all` is false where more match
    than were looked at. `hits` are the first passages in bodies; `places` counts all, of every rule
    that was tried.
    """

    looked_at: Count
    captures: Count
    too_large: Count
    is_all: bool
    places: tuple[RulePlaces, ...]
    hits: tuple[DryRunHit, ...]


class BulkRedactionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Overwrites for good what rules name in all captures that match the query, if they are as many
    as this says. `rules` are ids; all of the team, on or off, where none are named.
    """

    confirm_captures: Annotated[int, Meta(ge=0)]
    rules: RuleIds | None = None


class RedactionRuleListEndpoint(Endpoint):
    @conditional_get(
        "list_redaction_rules",
        "list the redaction rules of the team",
        ResponseBody("the rules", RedactionRuleList),
    )
    def get(self, request: Request) -> HttpResponseBase:
        rules = redaction_rules.redaction_rules(principal_of(request))
        return json_with_etag(request, RedactionRuleList(rules))

    @operation(
        "add_redaction_rule",
        "add a redaction rule, switched off",
        ResponseBody("the rule", RedactionRuleStatus, status=201),
        reads=NewRedactionRule,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponseBase:
        wanted = read_json(request._request, NewRedactionRule)
        found = redaction_rules.add_redaction_rule(principal_of(request), wanted.kind, wanted.text)
        if isinstance(found, RuleFault):
            raise ApiError(422, "invalid_body", FAULT_SENTENCES[found])
        if isinstance(found, RedactionRefusal):
            raise ApiError(*REFUSALS[found])
        return json_response(found, 201)


class RedactionRuleEndpoint(Endpoint):
    @conditional_get(
        "show_redaction_rule", "get a redaction rule", ResponseBody("the rule", RedactionRuleStatus)
    )
    def get(self, request: Request, redaction: str) -> HttpResponseBase:
        found = existing(
            redaction_rules.redaction_rule(principal_of(request), number_of(redaction))
        )
        return json_with_etag(request, found)

    @operation(
        "switch_redaction_rule",
        "switch a rule on or off; what is on overwrites in all that arrives from now on",
        ResponseBody("the rule", RedactionRuleStatus),
        reads=RuleSwitch,
    )
    def patch(self, request: Request, redaction: str) -> HttpResponseBase:
        switch = read_json(request._request, RuleSwitch)
        found = existing(
            redaction_rules.turn_redaction_rule(
                principal_of(request), number_of(redaction), switch.is_on
            )
        )
        return json_response(found)

    @operation(
        "remove_redaction_rule",
        "remove a rule; what it overwrote stays so",
        ResponseBody("the rule as it was", RedactionRuleStatus),
    )
    def delete(self, request: Request, redaction: str) -> HttpResponseBase:
        removed = existing(
            redaction_rules.remove_redaction_rule(principal_of(request), number_of(redaction))
        )
        return json_response(removed)


class DryRunEndpoint(Endpoint):
    @operation(
        "try_redaction_rules",
        "get what rules would overwrite in the newest captures of a query; changes nothing",
        ResponseBody("what would be overwritten", DryRunResult),
        reads=DryRunRequest,
        filters=CAPTURE_FIELDS,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponseBase:
        conditions = capture_conditions_of(self.params.values)
        wanted = read_json(request._request, DryRunRequest)
        rules = rules_named(request, wanted.rules)
        found = dry_run(principal_of(request), rules, conditions)
        if found is None:
            raise needs_read()
        return json_response(dry_run_result(found, rules))


class BulkRedactionEndpoint(Endpoint):
    @operation(
        "redact_captures",
        "overwrite for good what rules name in all captures of a query, in the background",
        ResponseBody("requested", BulkJobStatus, status=202),
        reads=BulkRedactionRequest,
        filters=CAPTURE_FIELDS,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponseBase:
        conditions = capture_conditions_of(self.params.values)
        wanted = read_json(request._request, BulkRedactionRequest)
        found = bulk_jobs.request_confirmed_redaction(
            principal_of(request),
            rules_named(request, wanted.rules),
            conditions,
            wanted.confirm_captures,
        )
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


def dry_run_result(found: DryRun, rules: Sequence[MaskRule]) -> DryRunResult:
    places = tuple(RulePlaces(rule.id, found.places[rule.id]) for rule in rules)
    return struct_of(DryRunResult, found, places=places, hits=tuple(found.hits))
