"""The rules by the subject that their codes begin with, and an example of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import msgspec

from inspector.core.decoded_types import built
from inspector.core.findings import Severity
from inspector.core.rules import finding_types
from inspector.core.rules.added_findings import FindingType
from inspector.core.rules.rule import Rule

AnyRule = Rule | FindingType
SUBJECTS = {
    "block": "Blocks of a message",
    "cache": "Caches",
    "choice": "Choices",
    "chunks": "Chunks of a stream",
    "cost": "Costs",
    "ending": "Ending",
    "envelope": "Envelope",
    "framing": "Framing",
    "json": "JSON",
    "logprobs": "Logprobs",
    "message": "Message",
    "reading": "Reading",
    "timing": "Times",
    "tool": "Tool calls",
    "transport": "Transport",
    "usage": "Usage",
    "vendor": "Vendors",
}
EXAMPLES = "rules.examples.json"
"""Made of the cases of the tests, which are not shipped."""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    title: str
    rules: tuple[AnyRule, ...]
    """The severest first."""

    @property
    def anchor(self) -> str:
        return self.title.lower().replace(" ", "-")


class RuleExample(msgspec.Struct, frozen=True):
    """Two exchanges as text: of one the rule says something, of the other it does not."""

    says: str
    fires: str
    silent: str


def rule_groups() -> Iterator[RuleGroup]:
    for area, held in groupby(sorted(finding_types(), key=area_of), area_of):
        yield RuleGroup(SUBJECTS[area], tuple(sorted(held, key=_rank)))


def area_of(rule: AnyRule) -> str:
    return rule.code.partition(".")[0]


def _rank(rule: AnyRule) -> tuple[int, str]:
    return list(Severity).index(rule.severity), rule.code


@cache
def rule_examples(folder: Path) -> Mapping[str, RuleExample]:
    """By code; none of rules whose bodies are no text, or long."""
    return msgspec.json.decode((folder / EXAMPLES).read_bytes(), type=built(dict[str, RuleExample]))
