"""Every rule fires and stays silent where it should, and says what it is."""

import re
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from inspector.core import rules
from inspector.core.wire.exchange import Request, TransportOutcome
from tests.core import rules_page
from tests.core.bodies import GOOD, GOOD_STREAM, ROLE, STOP, analysis, chunk, codes, delta
from tests.core.rules import rule_examples
from tests.core.rules.rule_cases import CASES, findings, told

SLUGS = sorted(CASES)


def test_every_rule_fires_where_it_should() -> None:
    assert [code for code in SLUGS if code not in told(CASES[code][0])] == []


def test_every_rule_is_silent_where_it_should_be() -> None:
    assert [code for code in SLUGS if code in told(CASES[code][1])] == []


def test_a_rule_is_left_unasked_only_where_it_has_nothing_to_say() -> None:
    # Rules about transport look at nothing else: their trait is what they report.
    asked = tuple(
        rule
        if rule.code.startswith("transport.")
        else msgspec.structs.replace(rule, when=frozenset())
        for rule in rules.rules()
    )
    cases = [(code, position, case) for code in SLUGS for position, case in enumerate(CASES[code])]
    found = [told(case) for *_, case in cases]
    with patch.object(rules, "rules", return_value=asked):
        forget_selections()
        found_by_all = [told(case) for *_, case in cases]
    forget_selections()
    each = zip(cases, found, found_by_all, strict=True)
    assert [(code, at) for (code, at, _), one, other in each if one != other] == []


def forget_selections() -> None:
    """Which rules are asked of what is kept, by traits and formats."""
    rules.rules_with.cache_clear()
    rules.rules_about.cache_clear()


def test_every_rule_has_a_case() -> None:
    assert [rule.code for rule in rules.rules() if rule.code not in CASES] == []
    assert set(CASES) == {rule.code for rule in rules.rules()}


def test_codes_have_one_shape_and_occur_once() -> None:
    every = [rule.code for rule in rules.rules()]
    assert all(re.fullmatch(r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*", code) for code in every)
    assert len(set(every)) == len(every)


def test_every_rule_says_what_it_looks_for_and_who_suffers() -> None:
    sentences = [(rule.code, text) for rule in rules.rules() for text in (rule.help, rule.impact)]
    assert [each for each in sentences if not each[1].endswith(".") or len(each[1]) > 100] == []


def test_findings_have_the_severity_of_their_rule_and_a_sentence() -> None:
    severities = {rule.code: rule.severity for rule in rules.rules()}
    for finding in (each for code in SLUGS for each in findings(CASES[code][0])):
        assert finding.severity is severities[finding.code]
        assert finding.message == finding.message.strip() != ""


def test_a_good_answer_has_no_finding() -> None:
    assert analysis(GOOD).findings == ()
    assert analysis(GOOD_STREAM).findings == ()


def test_the_page_of_the_rules_says_what_their_functions_say() -> None:
    written = Path(__file__).parents[3] / "docs" / "rules.md"
    assert written.read_text() == rules_page.page()


def test_the_examples_of_the_rules_are_their_cases() -> None:
    written = Path(__file__).parents[3] / "docs" / "rules.examples.json"
    assert written.read_text() == rule_examples.page()


@pytest.mark.parametrize(
    ("outcome", "is_told"),
    [
        (TransportOutcome.ENDED, True),
        (TransportOutcome.CLIENT_CANCELLED, False),
        (TransportOutcome.UPSTREAM_ERROR, False),
    ],
)
def test_what_may_still_come_is_not_called_unsent(outcome: TransportOutcome, is_told: bool) -> None:
    asked = Request(body=b'{"stream":true,"stream_options":{"include_usage":true}}')
    body = chunk(ROLE) + chunk(delta(b'"content":"Hi"')) + chunk(STOP)
    found = codes(analysis(body, outcome=outcome, request=asked))
    assert ("usage.asked-not-sent" in found) is is_told
    assert ("usage.missing" in found) is not is_told


INVENTED = '''
from inspector.core.findings import Severity, Where
from inspector.core.rules.rule import rule


@rule("parcel.too-friendly", Severity.INFO)
def too_friendly(facts):
    """A choice says hello.
    Nobody.
    """
    for choice in facts.choices:
        if choice.content == "Hello":
            yield "It says hello.", Where(pointer=f"/choices/{choice.index}")
'''


def forget() -> None:
    """Forget what was found in the folder."""
    rules.rules.cache_clear()
    rules.rules_about.cache_clear()
    rules.rules_with.cache_clear()


def test_a_file_in_the_folder_holds_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zz_parcel.py").write_text(INVENTED)
    with monkeypatch.context() as patched:
        patched.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
        forget()
        found = codes(analysis(GOOD))
    forget()
    assert found == {"parcel.too-friendly"}
    assert codes(analysis(GOOD)) == set()
