import pytest
from django.utils import timezone

from inspector.archive.intake.submission import Submission
from inspector.archive.listing import completion as completing
from inspector.archive.listing.completion import Completion
from inspector.archive.models import Inspection
from inspector.archive.queries import for_principal
from inspector.core.wire.exchange import Exchange
from inspector.database.portability import StatementTimeout
from tests.archive.samples import CUT, WHOLE, accept, accept_arrival, inspect_all, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

COMPLETE = "/t/default/captures/complete/"


def completion(person: Person, text: str) -> Completion:
    captures = for_principal(person.principal)
    return captures.complete(text.replace("|", ""), text.index("|"), timezone.now())


def offered(person: Person, text: str) -> list[tuple[str, int | None]]:
    return [(each.text, each.number) for each in completion(person, text).options]


def test_names_of_fields_are_offered_first_those_that_begin_so(owner: Person) -> None:
    assert offered(owner, "ven|") == [("vendor:", None)]
    assert offered(owner, "first|") == [("first_token>", None)]
    assert offered(owner, "metad|") == [("metadata.", None)]
    assert offered(owner, "tokens.o|")[0] == ("tokens.out>", None)
    assert offered(owner, "zzz|") == []


def test_a_word_that_is_a_value_is_offered_as_a_filter(owner: Person) -> None:
    for body in (CUT, WHOLE, CUT):
        inspected(owner, body)
    assert offered(owner, "trunca|") == [("result:truncated", 2)]
    assert ("verdict:cut-off", 2) in offered(owner, "cut|")
    assert ("rule:ending.cut-off", 2) in offered(owner, "cut-o|")
    assert offered(owner, "gpt-|") == [("model:gpt-4o", 1)]
    assert offered(owner, "refuse|") == offered(owner, "em|") == []


def test_several_words_that_are_spoken_are_offered_as_one_query(
    owner: Person, subtests: pytest.Subtests
) -> None:
    times = ("since:1h", "since:24h", "since:7d")
    for body in (WHOLE, CUT):
        inspected(owner, body)
    for text, meant in (
        ("truncated last hour|", ["result:truncated since:1h"]),
        ("Truncated last ho|", ["result:truncated since:1h"]),
        ("truncated las|", [f"result:truncated {time}" for time in times]),
        ("hello last ho|", ["hello since:1h"]),
        ("truncated answers last hour|", ["result:truncated since:1h"]),
        ("refused last hour|", []),
        ("gpt yesterd|", []),
        ("gpt parcels|", []),
        ('"truncated last hour"|', []),
    ):
        with subtests.test(text):
            found = completion(owner, text).options
            whole = (0, len(text) - 1)
            assert [each.text for each in found if each.span == whole] == meant
            assert found[: len(meant)] == tuple(each for each in found if each.span == whole)


def test_words_before_the_end_are_completed_alone(owner: Person) -> None:
    inspected(owner, CUT)
    assert offered(owner, "truncated| since:1h")[0] == ("result:truncated", 1)
    assert offered(owner, "last|") == [(each, 1) for each in ("since:1h", "since:24h", "since:7d")]


def test_values_are_offered_with_the_captures_that_have_them(owner: Person) -> None:
    for body in (WHOLE, WHOLE, CUT):
        inspected(owner, body)
    assert offered(owner, "verdict:|") == [("complete", 2), ("cut-off", 1)]
    assert offered(owner, "verdict:cu|") == [("cut-off", 1)]
    assert offered(owner, "model:|") == [("gpt-4o", 2), ("missing:model", 1)]
    assert offered(owner, "missing:mod|") == [("model", None), ("request_model", None)]


def test_the_other_terms_are_kept_and_the_word_itself_is_not(owner: Person) -> None:
    for body in (WHOLE, WHOLE, CUT):
        inspected(owner, body)
    assert offered(owner, "verdict:cut-off result:|")[0] == ("truncated", 1)
    assert offered(owner, "-verdict:comp| model:gpt-4o") == [("complete", 2)]
    assert offered(owner, "verdict:nonsense model:gpt|") == [("gpt-4o", 2)]


def test_what_lacks_a_field_is_counted_among_those_that_the_other_terms_find(owner: Person) -> None:
    for body in (WHOLE, WHOLE, CUT):
        inspected(owner, body)
    expected = [("gpt-4o", 2), ("missing:model", 1)]
    assert offered(owner, "model:| verdict:complete or verdict:cut-off") == expected


def test_findings_are_offered_with_what_they_mean_the_most_frequent_first(owner: Person) -> None:
    for body in (CUT, WHOLE, CUT):
        inspected(owner, body)
    for field in ("finding", "rule"):
        first, *_ = completion(owner, f"{field}:ending.c|").options
        assert (first.text, first.number) == ("ending.cut-off", 2)
        assert first.meaning == (
            "The answer ends inside a value or event, or without finish reason and end marker."
        )
    assert offered(owner, "finding:err|") == []


def test_a_value_that_no_capture_has_is_offered_only_where_not_all_were_looked_at(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspected(owner)
    assert offered(owner, "verdict:cut|") == offered(owner, "rule:reasoning|") == []
    assert offered(owner, "stream:|") == [("no", 1)]
    monkeypatch.setattr(completing, "COUNTED_ROWS", 1)
    assert offered(owner, "verdict:cut|") == [("cut-off", None)]
    assert ("choice.says-nothing", None) in offered(owner, "rule:reasoning|")


def test_findings_are_found_by_what_they_mean(owner: Person) -> None:
    inspected(owner, CUT)
    assert ("ending.cut-off", 1) in offered(owner, "rule:marker|")
    assert offered(owner, "verdict:transport|") == []


def test_numbers_are_offered_as_round_limits(owner: Person) -> None:
    ids = [inspected(owner) for _ in range(3)]
    for capture_id, first in zip(ids, (1_500_000, 3_000_000, None), strict=True):
        Inspection.objects.filter(pk=capture_id).update(first_token_us=first)
    found = completion(owner, "first_token>|")
    assert [(each.text, each.number) for each in found.options] == [
        ("first_token>500ms", 2), ("first_token>1s", 2), ("first_token>2s", 1),
        ("missing:first_token", 1),
    ]  # fmt: skip
    assert (found.counted, found.total, found.is_all) == (2, 3, True)
    assert offered(owner, "first_token<2s|")[0] == ("first_token<2s", 1)


def test_tags_are_counted_one_by_one(owner: Person) -> None:
    for tags in (("eu", "us"), ("eu",)):
        accept_arrival(owner, Submission(Exchange.of_body(WHOLE), tags=tags))
    accept(owner)
    assert offered(owner, "tag:|") == [("eu", 2), ("us", 1), ("missing:tag", 1)]


def test_what_must_be_quoted_is(owner: Person) -> None:
    accept_arrival(owner, Submission(Exchange.of_body(WHOLE), tags=("eu west",)))
    assert offered(owner, "tag:eu|") == [('"eu west"', 1)]


def test_what_takes_too_long_has_no_counts(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> Completion:
        raise StatementTimeout

    monkeypatch.setattr(completing, "_values", stopped)
    assert offered(owner, "verdict:cut|") == [("cut-off", None)]


def test_the_page_is_answered_with_a_list_for_its_popup(owner: Person, teammate: Person) -> None:
    inspected(owner)
    for person in (owner, teammate):
        answer = person.browser().get(COMPLETE, {"q": "gpt model:gpt", "at": "13"})
        html = answer.content.decode()
        assert 'data-text="gpt-4o" data-start="10" data-end="13"' in html
        assert '<span class="num">1</span>' in html


@pytest.mark.parametrize(
    "query", ["", "q=%00&at=1", "q=a&at=-1", "q=a&at=%E2%91%A0", "q=((((&at=99999"]
)
def test_any_text_and_any_caret_is_answered(owner: Person, query: str) -> None:
    assert owner.browser().get(f"{COMPLETE}?{query}").status_code == 200


def test_values_of_others_are_not_offered(owner: Person, stranger: Person) -> None:
    inspected(stranger, WHOLE.replace(b"gpt-4o", b"theirs"))
    inspect_all()
    assert offered(owner, "model:|") == []
    assert stranger.browser().get(COMPLETE, {"q": "model:"}).status_code == 404
