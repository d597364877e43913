"""Bodies of redaction rules, and of their dry run."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from inspector.archive.member_types import Count
from inspector.archive.redaction_dry_run import DryRun, DryRunHit
from inspector.archive.redaction_rules import MAX_RULES, TEXT_CHARACTERS, RedactionRuleStatus
from inspector.core.redaction_mark import MaskKind, MaskRule

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


def dry_run_result(found: DryRun, rules: Sequence[MaskRule]) -> DryRunResult:
    return DryRunResult(
        looked_at=found.looked_at,
        captures=found.captures,
        too_large=found.too_large,
        is_all=found.is_all,
        places=tuple(RulePlaces(rule.id, found.places[rule.id]) for rule in rules),
        hits=tuple(found.hits),
    )


class BulkRedactionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Overwrites for good what rules name in all captures that match the query, if they are as many
    as this says. `rules` are ids; all of the team, on or off, where none are named.
    """

    confirm_captures: Annotated[int, Meta(ge=0)]
    rules: RuleIds | None = None
