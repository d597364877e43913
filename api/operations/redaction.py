"""Redaction rules: added, listed, switched, removed, and tried on what is stored."""

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import (
    IF_NONE_MATCH,
    JSON,
    UNCHANGED,
    Endpoint,
    Operation,
    ResponseBody,
    in_path,
)
from api.schemas.addresses import V1
from api.schemas.redaction import (
    BulkRedactionRequest,
    DryRunRequest,
    DryRunResult,
    NewRedactionRule,
    RedactionRuleList,
)
from api.schemas.retention import RuleSwitch
from inspector.archive.background.bulk_jobs import BulkJobStatus
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.teams.access import DELETE, READ

TAG = "redaction"
TAG_TEXTS = {TAG: "What is overwritten as it arrives or afterwards"}
RULE_ID = in_path("redaction", "id of the rule")

RULES = Endpoint(
    "api:redaction-rules",
    f"{V1}redaction/rules/",
    TAG,
    (
        Operation(
            "GET",
            "list_redaction_rules",
            READ,
            "list the redaction rules of the team",
            {200: ResponseBody("the rules", RedactionRuleList), 304: UNCHANGED},
            parameters=(IF_NONE_MATCH,),
        ),
        Operation(
            "POST",
            "add_redaction_rule",
            DELETE,
            "add a redaction rule, switched off",
            {201: ResponseBody("the rule", RedactionRuleStatus)},
            errors=(409,),
            body={JSON: NewRedactionRule},
        ),
    ),
)
RULE = Endpoint(
    "api:redaction-rule",
    f"{V1}redaction/rules/<str:redaction>/",
    TAG,
    (
        Operation(
            "GET",
            "show_redaction_rule",
            READ,
            "get a redaction rule",
            {200: ResponseBody("the rule", RedactionRuleStatus), 304: UNCHANGED},
            errors=(404,),
            parameters=(RULE_ID, IF_NONE_MATCH),
        ),
        Operation(
            "PATCH",
            "switch_redaction_rule",
            DELETE,
            "switch a rule on or off; what is on overwrites in all that arrives from now on",
            {200: ResponseBody("the rule", RedactionRuleStatus)},
            errors=(404,),
            parameters=(RULE_ID,),
            body={JSON: RuleSwitch},
        ),
        Operation(
            "DELETE",
            "remove_redaction_rule",
            DELETE,
            "remove a rule; what it overwrote stays so",
            {200: ResponseBody("the rule as it was", RedactionRuleStatus)},
            errors=(404,),
            parameters=(RULE_ID,),
        ),
    ),
)
DRY_RUN = Endpoint(
    "api:redaction-dry-run",
    f"{V1}redaction/dry-run/",
    TAG,
    (
        Operation(
            "POST",
            "try_redaction_rules",
            DELETE,
            "get what rules would overwrite in the newest captures of a query; changes nothing",
            {200: ResponseBody("what would be overwritten", DryRunResult)},
            errors=(409,),
            parameters=tuple(filter_parameters(CAPTURE_FIELDS)),
            body={JSON: DryRunRequest},
        ),
    ),
)
BULK_REDACTION = Endpoint(
    "api:bulk-redaction",
    f"{V1}captures/bulk/redaction/",
    TAG,
    (
        Operation(
            "POST",
            "redact_captures",
            DELETE,
            "overwrite for good what rules name in all captures of a query, in the background",
            {202: ResponseBody("requested", BulkJobStatus)},
            errors=(409, 429),
            parameters=tuple(filter_parameters(CAPTURE_FIELDS)),
            body={JSON: BulkRedactionRequest},
        ),
    ),
)
ENDPOINTS = (RULES, RULE, DRY_RUN, BULK_REDACTION)
