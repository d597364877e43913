"""Retention rules: added, listed, switched, removed."""

from api.operations.operation import JSON, Operation, ResponseBody, get, in_path, v1
from api.schemas.retention import NewRule, RuleDetail, RuleList, RuleSwitch
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.teams.access import DELETE, READ

TAG = "retention"
TAG_TEXTS = {TAG: "What is deleted by itself and when"}
RULE_ID = in_path("rule", "id of the rule")

RULES = v1(
    "retention-rules",
    "retention/rules/",
    TAG,
    get(
        "list_retention_rules",
        READ,
        "list the retention rules of the team",
        ResponseBody("the rules", RuleList),
    ),
    Operation(
        "POST",
        "add_retention_rule",
        DELETE,
        "add a retention rule, switched off",
        {201: ResponseBody("the rule", RetentionRuleStatus)},
        errors=(409,),
        body={JSON: NewRule},
    ),
)
RULE = v1(
    "retention-rule",
    "retention/rules/<str:rule>/",
    TAG,
    get(
        "show_retention_rule",
        READ,
        "get a rule with what it would delete now",
        ResponseBody("the rule", RuleDetail),
        RULE_ID,
        errors=(404,),
    ),
    Operation(
        "PATCH",
        "switch_retention_rule",
        DELETE,
        "switch a rule on or off; what is off deletes nothing more from this moment on",
        {200: ResponseBody("the rule", RetentionRuleStatus)},
        errors=(404,),
        parameters=(RULE_ID,),
        body={JSON: RuleSwitch},
    ),
    Operation(
        "DELETE",
        "remove_retention_rule",
        DELETE,
        "remove a rule",
        {200: ResponseBody("the rule as it was", RetentionRuleStatus)},
        errors=(404,),
        parameters=(RULE_ID,),
    ),
)
ENDPOINTS = (RULES, RULE)
