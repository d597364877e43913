from datetime import timedelta

import pytest
from django.utils import timezone

from inspector.archive.listing.capture_values import StateCounts
from inspector.archive.listing.worst_findings import WorstFinding
from inspector.dashboard.archive.rows import account_state_counts, build_row
from inspector.formatting.verdicts import VerdictTone
from inspector.usage.cost.unpriced import UnpricedItem
from inspector.usage.rollup.queries import ComputedCost
from tests.dashboard.capture.samples import RECEIVED_AT, row


@pytest.mark.parametrize(("minutes", "arrived"), [(10, None), (11, ("20 Nov", "14:02"))])
def test_a_call_that_was_sent_long_after_it_was_made_tells_when(
    minutes: int, arrived: tuple[str, str] | None
) -> None:
    called = RECEIVED_AT - timedelta(minutes=minutes)
    shown = build_row(row(called_at=called))
    assert (shown.arrived, shown.when[1]) == (arrived, f"13:{62 - minutes}")
    assert build_row(row()).arrived is None


def test_unknown_values_are_words_and_never_zero() -> None:
    shown = build_row(row(first_token_us=None, duration_us=None))
    assert (shown.prompt.text, shown.cost.text, shown.first.text) == ("not sent", "unknown", "–")
    assert shown.prompt.word and shown.cost.word and shown.total.word


def test_of_a_body_that_was_not_read_nothing_is_said_to_be_absent() -> None:
    shown = build_row(row(verdict="unreadable", model=None))
    assert (shown.model.text, shown.prompt.text) == ("unknown", "unknown")


def test_a_model_that_was_asked_for_and_did_not_answer_says_so() -> None:
    shown = build_row(row(model=None, request_model="gpt-4o")).model
    assert (shown.text, shown.word) == ("asked: gpt-4o", True)


def test_known_values_are_numbers() -> None:
    shown = build_row(row(prompt_tokens=1846, completion_tokens=0, cost_usd="0.00128"))
    assert (shown.prompt.text, shown.completion.text, shown.cost.text) == ("1,846", "0", "$0.0013")
    assert not shown.completion.word


PRICED = ComputedCost("0.0015125", None, "genai-prices 0.2.3")


def test_a_cost_that_nobody_states_is_the_computed_one_and_says_so() -> None:
    cost = build_row(row(), PRICED).cost
    assert (cost.text, cost.is_computed, cost.word) == ("$0.0015", True, False)
    assert cost.title == "$0.0015125, computed by genai-prices 0.2.3"


def test_a_cost_that_something_billed_is_not_in_is_the_least() -> None:
    cost = build_row(
        row(), PRICED._replace(unpriced_items=(UnpricedItem(3, "searches", "num_search_queries"),))
    ).cost
    assert (cost.text, cost.is_computed, cost.is_lower_bound) == ("$0.0015", True, True)
    assert cost.title == "at least $0.0015125, computed by genai-prices 0.2.3, excludes 3 searches"
    assert not build_row(row(), PRICED).cost.is_lower_bound


def test_a_stated_cost_that_no_answer_can_have_is_not_shown_as_its_cost() -> None:
    cost = build_row(row(cost_usd="5000000"), PRICED).cost
    assert cost.is_computed


def test_a_stated_cost_goes_before_the_computed_one() -> None:
    cost = build_row(row(cost_usd="0.002"), PRICED).cost
    assert (cost.text, cost.is_computed, cost.title) == ("$0.0020", False, "$0.002")


def test_a_cost_that_is_not_known_says_why() -> None:
    price = ComputedCost(None, "no_price", "genai-prices 0.2.3")
    cost = build_row(row(), price).cost
    assert (cost.text, cost.word, cost.title) == ("unknown", True, "no price for the model")
    assert build_row(row(verdict="unreadable"), price).cost.title == "the body was not parsed"


def test_equal_finish_reasons_are_counted_and_odd_ones_marked() -> None:
    shown = build_row(row(finish_reasons=("stop", "stop", "length", "none")))
    assert [(finish.text, finish.is_ordinary) for finish in shown.finishes] == [
        ("stop\u00a0×\u00a02", True), ("length", False), ("none", True),
    ]  # fmt: skip


def test_finish_reasons_of_many_choices_are_summed_up_however_they_alternate() -> None:
    reasons = tuple("length" if number % 5 in (0, 2) else "stop" for number in range(200))
    shown = build_row(row(finish_reasons=reasons)).finishes
    assert [finish.text for finish in shown] == ["stop\u00a0×\u00a0120", "length\u00a0×\u00a080"]


def test_of_very_many_different_finish_reasons_a_row_names_the_first() -> None:
    shown = build_row(row(finish_reasons=tuple(f"reason-{n}" for n in range(30)))).finishes
    assert [finish.text for finish in shown[-2:]] == ["reason-5", "24 more"]


def test_an_empty_finish_reason_is_a_word_and_not_an_empty_cell() -> None:
    (finish,) = build_row(row(finish_reasons=("",))).finishes
    assert (finish.text, finish.is_ordinary) == ("empty", False)


def test_a_row_shows_its_state_until_it_has_a_verdict() -> None:
    waiting = build_row(row(state="received", verdict=None))
    assert (waiting.sign.text, waiting.sign.tone) == ("waiting", VerdictTone.WAITING)
    assert waiting.unfinished and waiting.shape is None
    recorded = build_row(row(state="recording", verdict=None, byte_length=12_300))
    assert (recorded.sign.text, recorded.sign.tone) == ("recording", VerdictTone.WAITING)
    assert (recorded.unfinished, recorded.so_far) == (True, "12.3 kB so far")
    assert waiting.so_far == ""
    broken = build_row(row(state="quarantined", verdict=None))
    assert (broken.sign.text, broken.sign.tone) == ("quarantined", VerdictTone.BROKEN)
    assert not broken.unfinished


STALLED = WorstFinding("timing.stall", "warning", "No chunk came for 6.2 s.")


def test_the_worst_finding_stands_in_words_and_the_others_are_counted() -> None:
    cell = build_row(row(warning_count=3, info_count=4), finding=STALLED).finding
    assert cell is not None
    assert (cell.severity, cell.message[0].text, cell.others) == (
        "warning", "No chunk came for 6.2 s.", 2,
    )  # fmt: skip
    assert cell.title == "timing.stall (3 warnings, 4 notes)"
    assert build_row(row()).finding is None


def test_a_note_is_no_problem_and_what_the_result_says_is_not_said_again() -> None:
    note = WorstFinding("usage.not-sent", "info", "There is no usage.")
    assert build_row(row(info_count=3), finding=note).finding is None
    limit = WorstFinding("choice.finish-length", "warning", "Choice 0 hit max_tokens.")
    assert build_row(row(warning_count=1, result="truncated"), finding=limit).finding is None
    assert build_row(row(warning_count=1, result="answered"), finding=limit).finding is not None
    refused = WorstFinding("envelope.provider-error", "error", "The provider sent an error.")
    in_error = row(error_count=1, result="error", answer_kind="error")
    assert build_row(in_error, finding=refused).finding is None
    assert build_row(row(error_count=1, result="error"), finding=refused).finding is not None


def test_a_sentence_that_the_answer_cell_says_is_no_problem_beside_it() -> None:
    why = "A web page, not an answer: 502 Bad Gateway."
    found = WorstFinding("ending.upstream-error", "error", why)
    for kind in ("error", "nothing"):
        said = row(error_count=1, answer_kind=kind, answer_line=why)
        assert build_row(said, finding=found).finding is None
        other = row(error_count=1, answer_kind=kind, answer_line="It was cut.")
        assert build_row(other, finding=found).finding is not None


def test_a_finding_that_quotes_a_long_text_is_cut() -> None:
    long = WorstFinding("json.invalid", "error", "x" * 900)
    cell = build_row(row(error_count=1), finding=long).finding
    assert cell is not None and len(cell.message[0].text) == 141


@pytest.mark.parametrize(
    ("verdict", "result", "text", "tone", "ended"),
    [
        ("complete", "answered", "answered", VerdictTone.GOOD, "answered, complete"),
        ("complete", "truncated", "truncated", VerdictTone.PARTIAL, "truncated, complete"),
        ("cut-off", "truncated", "truncated", VerdictTone.PARTIAL, "truncated, cut-off"),
    ],
)
def test_the_result_is_the_sign_and_the_verdict_stands_beside_it(
    verdict: str, result: str, text: str, tone: VerdictTone, ended: str
) -> None:
    shown = build_row(row(verdict=verdict, result=result))
    assert (shown.sign.text, shown.sign.tone, shown.ended) == (text, tone, ended)


def test_a_cost_that_usage_states_is_shown_as_stated() -> None:
    price = PRICED._replace(listed_ticks=20_000_000)
    cost = build_row(row(), price).cost
    assert (cost.text, cost.is_computed, cost.title) == (
        "$0.0020", False, "$0.002, stated in usage",
    )  # fmt: skip
    assert build_row(row(), PRICED._replace(listed_ticks=15_125_000)).cost.is_computed


def test_a_capture_of_another_day_tells_its_day_and_a_new_one_its_age() -> None:
    assert build_row(row()).day == "Fri 20 Nov"
    assert build_row(row(called_at=timezone.now())).day == ""


def test_what_was_received_is_the_sum_of_its_terms() -> None:
    account = StateCounts(
        recording=1, received=2, processing=3, inspected=40, quarantined=5, deleted=6
    )
    accepted, terms = account_state_counts(account)
    assert accepted == sum(term.number for term in terms) == 57
    assert [term.name for term in terms] == [
        "analysed", "waiting to be analysed", "quarantined", "recording", "deleted",
    ]  # fmt: skip
    quiet = StateCounts(
        recording=0, received=0, processing=0, inspected=1, quarantined=0, deleted=0
    )
    assert [term.name for term in account_state_counts(quiet)[1]] == [
        "analysed", "waiting to be analysed", "quarantined",
    ]  # fmt: skip


def test_the_name_of_its_provider_stands_with_when_and_by_what_it_was_made() -> None:
    named = row(
        provider_id="chatcmpl-7", created=1795183339, system_fingerprint="fp_a", request_seed=0
    )
    cell = build_row(named).identity
    assert (cell.text, cell.word) == ("chatcmpl-7", False)
    assert cell.title == (
        "chatcmpl-7, created 20 Nov 2026, 14:02:19 UTC, system_fingerprint fp_a, seed asked for 0"
    )
    unnamed = build_row(row(created=1795183339000)).identity
    assert (unnamed.text, unnamed.word, unnamed.title) == ("not sent", True, "")
