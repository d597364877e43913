"""Bodies of retention rules."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from inspector.archive.background.retention_rules import (
    MAX_DAYS,
    QUERY_CHARACTERS,
    RetentionForecast,
    RetentionRuleStatus,
)

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
