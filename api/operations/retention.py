"""Retention rules: added, listed, switched, removed."""

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
from api.schemas.retention import NewRule, RuleDetail, RuleList, RuleSwitch
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.teams.access import DELETE, READ

TAG = "retention"
TAG_TEXTS = {TAG: "What is deleted by itself and when"}
RULE_ID = in_path("rule", "id of the rule")

RULES = Endpoint(
    "api:retention-rules",
    f"{V1}retention/rules/",
    TAG,
    (
        Operation(
            "GET",
            "list_retention_rules",
            READ,
            "list the retention rules of the team",
            {200: ResponseBody("the rules", RuleList), 304: UNCHANGED},
            parameters=(IF_NONE_MATCH,),
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
    ),
)
RULE = Endpoint(
    "api:retention-rule",
    f"{V1}retention/rules/<str:rule>/",
    TAG,
    (
        Operation(
            "GET",
            "show_retention_rule",
            READ,
            "get a rule with what it would delete now",
            {200: ResponseBody("the rule", RuleDetail), 304: UNCHANGED},
            errors=(404,),
            parameters=(RULE_ID, IF_NONE_MATCH),
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
    ),
)
ENDPOINTS = (RULES, RULE)
