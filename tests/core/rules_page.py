"""The page of the rules, from their values; ``python -m tests.core.rules_page`` prints it."""

from collections.abc import Iterator

from inspector.core.formats.reference_documents import REFERENCE_DOCUMENTS, ReferenceDocument
from inspector.core.rules.added_findings import FindingType
from inspector.core.rules.rule import Rule
from inspector.core.vendors import vendors
from inspector.documentation.rule_groups import RuleGroup, rule_groups

HEAD = """# Rules

What Response Inspector checks in a response. Every finding has the code of its rule, a sentence and,
where it is known, a place: the pointer, the event, the bytes. In the product each has a page of its own, with
an answer that breaks it beside one that does not.

- **error**: a client that follows the standards fails or loses something
- **warning**: the format or the vendor promises it and broke the promise
- **info**: worth knowing; also a promise that one reference makes and another does not

References: {documents}.
A promise that a [vendor](vendors.md) is known not to keep is reported as info. Codes are never renamed;
`manage.py inspect --ignore CODE` leaves one out.

Costs are checked only in the archive, which knows a team's prices; everything else in every analysis.
"""
ROWS = "| code | severity | looks for | impact |\n|---|---|---|---|\n"


def page() -> str:
    named = ", ".join(map(reference, REFERENCE_DOCUMENTS.values()))
    return "\n".join([HEAD.format(documents=named), *map(section, rule_groups())])


def reference(document: ReferenceDocument) -> str:
    name = document.name
    if document.address is not None:
        name = f"[{name}]({document.address})"
    return f"{name} ({document.about})"


def section(group: RuleGroup) -> str:
    return f"## {group.title}\n\n{ROWS}{''.join(map(row, group.rules))}"


def row(rule: Rule | FindingType) -> str:
    cells = [
        f"`{rule.code}`",
        rule.severity,
        in_cell(" ".join(looks_for(rule))),
        " ".join(breaks(rule)),
    ]
    return f"| {' | '.join(cells)} |\n"


def looks_for(rule: Rule | FindingType) -> Iterator[str]:
    yield rule.help
    known = sorted(vendor.title for vendor in vendors().values() if rule.code in vendor.breaks)
    if known:
        yield f"Info for {', '.join(known)}."


def breaks(rule: Rule | FindingType) -> Iterator[str]:
    yield rule.impact
    if isinstance(rule, Rule) and rule.impact_in_stream:
        yield f"In a stream: {rule.impact_in_stream}"


def in_cell(text: str) -> str:
    """As Markdown, where ``<think>`` would be an element and a bar would end the cell."""
    return text.replace("``", "`").replace("<", "&lt;").replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
