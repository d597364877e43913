"""Redaction rules: added, listed, switched, removed, and tried on what is stored."""

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import JSON, Operation, ResponseBody, get, in_path, v1
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

RULES = v1(
    "redaction-rules",
    "redaction/rules/",
    TAG,
    get(
        "list_redaction_rules",
        READ,
        "list the redaction rules of the team",
        ResponseBody("the rules", RedactionRuleList),
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
)
RULE = v1(
    "redaction-rule",
    "redaction/rules/<str:redaction>/",
    TAG,
    get(
        "show_redaction_rule",
        READ,
        "get a redaction rule",
        ResponseBody("the rule", RedactionRuleStatus),
        RULE_ID,
        errors=(404,),
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
)
DRY_RUN = v1(
    "redaction-dry-run",
    "redaction/dry-run/",
    TAG,
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
)
BULK_REDACTION = v1(
    "bulk-redaction",
    "captures/bulk/redaction/",
    TAG,
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
)
ENDPOINTS = (RULES, RULE, DRY_RUN, BULK_REDACTION)
