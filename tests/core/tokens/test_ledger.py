"""The usage ledger: counts where they stood, parts inside their wholes, lines that hold or not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from inspector.core.json import Json
from inspector.core.tokens.inclusion import InclusionBasis
from inspector.core.tokens.invariants import LedgerLine
from inspector.core.tokens.ledger import UsageLedger, ledger_entries, ledger_of
from inspector.core.tokens.usage import read_usage
from inspector.core.vendors import vendor_named
from inspector.core.wire.exchange import Request
from tests.core.bodies import DONE, HELLO, ROLE, STOP, USAGE, analysis, chunk, completion


def kept(vendor: str | None = None, **sent: Json) -> UsageLedger:
    return UsageLedger(read_usage(sent, "/usage"), (), vendor_named(vendor))


def told(ledger: UsageLedger) -> dict[str, tuple[str, str, str]]:
    return {line.name: (line.sentence, str(line.outcome), line.why) for line in ledger.lines}


def line(ledger: UsageLedger, name: str) -> LedgerLine:
    return next(line for line in ledger.lines if line.name == name)


FULL = {
    "prompt_tokens": 9,
    "completion_tokens": 12,
    "total_tokens": 21,
    "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
    "completion_tokens_details": {
        "reasoning_tokens": 5,
        "audio_tokens": None,
        "accepted_prediction_tokens": 1,
        "rejected_prediction_tokens": 2,
    },
}


# -- the tree --------------------------------------------------------------------------------------


def test_parts_stand_inside_their_wholes_each_with_its_place() -> None:
    assert [(depth, each.wire_name, each.count, each.pointer) for depth, each in ledger_entries(kept(**FULL))] == [
        (0, "total_tokens", 21, "/usage/total_tokens"),
        (1, "prompt_tokens", 9, "/usage/prompt_tokens"),
        (2, "cached_tokens", 4, "/usage/prompt_tokens_details/cached_tokens"),
        (2, "not cached", 5, None),
        (2, "audio_tokens", 0, "/usage/prompt_tokens_details/audio_tokens"),
        (1, "completion_tokens", 12, "/usage/completion_tokens"),
        (2, "reasoning_tokens", 5, "/usage/completion_tokens_details/reasoning_tokens"),
        (2, "not reasoning", 7, None),
        (2, "audio_tokens", None, "/usage/completion_tokens_details/audio_tokens"),
        (2, "accepted_prediction_tokens", 1, "/usage/completion_tokens_details/accepted_prediction_tokens"),
        (2, "rejected_prediction_tokens", 2, "/usage/completion_tokens_details/rejected_prediction_tokens"),
    ]  # fmt: skip


def test_documented_counts_are_missed_and_those_of_vendors_only_told() -> None:
    found = {each.name: each.count for _, each in ledger_entries(kept(cache_write_tokens=0))}
    assert found["cached_tokens"] is UNSET
    assert found["cache_write_tokens"] == 0
    assert "prompt_cache_hit_tokens" not in found


def test_a_count_beside_the_totals_keeps_that_place() -> None:
    (entry,) = (
        each for _, each in ledger_entries(kept(cached_tokens=3)) if each.name == "cached_tokens"
    )
    assert (entry.count, entry.pointer) == (3, "/usage/cached_tokens")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (chunk(STOP, more=b'"x_groq":{%s}' % USAGE), "/x_groq/usage/total_tokens"),
        (chunk(STOP[:-1] + b"," + USAGE + b"}"), "/choices/0/usage/total_tokens"),
        (chunk(STOP, more=USAGE), "/usage/total_tokens"),
    ],
    ids=["in an object of the vendor", "on a choice", "beside the choices"],
)
def test_the_place_of_a_count_in_its_chunk_is_known(body: bytes, pointer: str) -> None:
    total = ledger_of(analysis(chunk(ROLE) + body + DONE)).total
    assert total is not None
    assert total.pointer == pointer


def test_without_usage_there_is_no_tree_and_no_line() -> None:
    for more in (b"", b'"usage":7'):
        ledger = ledger_of(analysis(completion(HELLO, more=more)))
        assert (ledger.total, ledger.lines, ledger.broken, ledger.costs) == (None, (), (), ())


@pytest.mark.parametrize("odd", [-7, True, 1.5, 2**63, "12", [1], {"n": 1}])
def test_what_is_no_count_is_shown_as_it_came_and_never_added_up(odd: Json) -> None:
    ledger = kept(**FULL | {"completion_tokens": odd})
    (entry,) = (each for _, each in ledger_entries(ledger) if each.name == "completion_tokens")
    assert (entry.count, entry.odd, entry.pointer) == (UNSET, odd, "/usage/completion_tokens")
    assert told(ledger)["total"] == (
        "9 prompt + completion = 21 total", "undecidable", "completion_tokens was not sent as a count",
    )  # fmt: skip


KINDS = (
    "cached_tokens",
    "reasoning_tokens",
    "text_tokens",
    "audio_tokens",
    "image_tokens",
    "accepted_prediction_tokens",
    "rejected_prediction_tokens",
)

# -- the lines -------------------------------------------------------------------------------------


def test_lines_show_both_sides_and_whether_they_hold() -> None:
    assert told(kept(**FULL)) == {
        "total": ("9 prompt + 12 completion = 21 total", "held", ""),
        "cached": ("4 cached ≤ 9 prompt", "held", ""),
        "reasoning": ("5 reasoning ≤ 12 completion", "held", ""),
        "prompt-audio": ("0 audio ≤ 9 prompt", "held", ""),
        "completion-audio": (
            "audio ≤ 12 completion", "undecidable", "audio_tokens was sent as null",
        ),
        "prediction": (
            "1 accepted prediction + 2 rejected prediction ≤ 12 completion", "held", "",
        ),
    }  # fmt: skip
    total = line(kept(**FULL), "total")
    assert (total.left, total.relation, total.right) == (21, "=", 21)


def test_a_side_that_was_not_sent_leaves_a_line_undecidable() -> None:
    told_ = told(kept(prompt_tokens=3, completion_tokens=2))
    assert told_["total"][1:] == ("undecidable", "total_tokens was not sent")
    assert told_["reasoning"][1:] == ("undecidable", "reasoning_tokens was not sent")
    assert told(kept())["cached"][2] == "cached_tokens and prompt_tokens were not sent"


def test_a_broken_line_says_by_how_much() -> None:
    told_ = told(kept(prompt_tokens=3, completion_tokens=2, total_tokens=6, cached_tokens=4))
    assert told_["total"] == ("3 prompt + 2 completion = 6 total", "broken", "1 less than total")
    assert told_["cached"] == ("4 cached ≤ 3 prompt", "broken", "1 more than prompt")


def test_one_part_that_exceeds_its_whole_breaks_a_line_whose_other_part_is_missing() -> None:
    details = {"rejected_prediction_tokens": 13}
    assert told(kept(completion_tokens=12, completion_tokens_details=details))["prediction"] == (
        "accepted prediction + 13 rejected prediction ≤ 12 completion", "broken", "1 more than completion",
    )  # fmt: skip


@pytest.mark.parametrize(("miss", "outcome"), [(5, "held"), (4, "broken")])
def test_cache_hits_and_misses_make_up_the_prompt(miss: int, outcome: str) -> None:
    sent = {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": miss}
    here = line(kept(**sent), "cache-hit-and-miss")
    assert (here.outcome, here.is_promised) == (outcome, False)
    assert line(kept("deepseek", **sent), "cache-hit-and-miss").is_promised


def test_kinds_make_up_the_prompt_where_all_were_sent() -> None:
    kinds = {"text_tokens": 4, "audio_tokens": 5, "image_tokens": 0}
    sentence = "4 text + 5 audio + 0 image = 9 prompt"
    full = kept(prompt_tokens=9, prompt_tokens_details=kinds)
    assert told(full)["prompt-kinds"] == (sentence, "held", "")
    some = kept(prompt_tokens=9, prompt_tokens_details={"text_tokens": 4, "audio_tokens": 5})
    assert "prompt-kinds" not in told(some)


SENT = st.one_of(
    st.none(),
    st.sampled_from([0, 1, 2, 3, 5, 2**63 - 1, 2**63, -1, True, "3", 1.5]),
    st.lists(st.integers(), max_size=1),
)
PLACED = st.fixed_dictionaries(
    {},
    optional={
        **{name: SENT for name in ("prompt_tokens", "completion_tokens", "total_tokens")},
        **{name: SENT for name in ("cached_tokens", "reasoning_tokens", "prompt_cache_hit_tokens")},
        **{
            name: st.dictionaries(st.sampled_from(KINDS), SENT) | SENT
            for name in ("prompt_tokens_details", "completion_tokens_details")
        },
    },
)


@given(PLACED, st.sampled_from([None, "xai", "mistral", "deepseek", "gemini", "openai"]))
def test_lines_tell_the_truth_of_any_usage(sent: dict[str, Json], vendor: str | None) -> None:
    ledger = kept(vendor, **sent)
    assert len(list(ledger_entries(ledger))) >= 9
    for each in ledger.lines:
        if each.outcome == "held":
            assert each.left is not None and each.right is not None
            assert each.left == each.right if each.relation == "=" else each.left <= each.right
        else:
            assert each.why
    assert ledger.broken == tuple(each for each in ledger.lines if each.outcome == "broken")


def test_the_largest_counts_are_added_up_exactly() -> None:
    most = 2**63 - 1
    total = line(kept(prompt_tokens=most, completion_tokens=most, total_tokens=1), "total")
    assert (total.left, total.outcome) == (2**64 - 2, "broken")


# -- inside or beside ------------------------------------------------------------------------------

BESIDE = {
    "prompt_tokens": 50,
    "completion_tokens": 20,
    "total_tokens": 100,
    "completion_tokens_details": {"reasoning_tokens": 30},
}


def basis(ledger: UsageLedger) -> list[tuple[str, InclusionBasis]]:
    return [(each.part, each.basis) for each in ledger.inclusions]


def test_reasoning_stands_beside_the_completion_where_the_vendor_counts_so() -> None:
    ledger = kept("xai", **BESIDE)
    assert basis(ledger) == [("reasoning_tokens", InclusionBasis.VENDOR)]
    assert told(ledger)["total"] == (
        "50 prompt + 20 completion + 30 reasoning = 100 total", "held",
        "xAI counts reasoning beside completion",
    )  # fmt: skip
    assert "reasoning" not in told(ledger)
    assert (1, "reasoning_tokens") in [(depth, each.name) for depth, each in ledger_entries(ledger)]


def test_the_same_numbers_of_nobody_known_hold_only_by_that_reading() -> None:
    ledger = kept(**BESIDE)
    assert basis(ledger) == [("reasoning_tokens", InclusionBasis.NUMBERS)]
    assert told(ledger)["total"][1:] == (
        "undecidable", "only if reasoning is counted separately from completion",
    )  # fmt: skip


def test_the_same_numbers_of_a_vendor_that_counts_inside_are_broken() -> None:
    ledger = kept("openai", **BESIDE)
    assert basis(ledger) == [("reasoning_tokens", InclusionBasis.DOUBTED)]
    assert told(ledger)["total"][1:] == (
        "broken", "30 less than total; adds up only if reasoning is counted separately from completion",
    )  # fmt: skip
    assert told(ledger)["reasoning"][1] == "broken"


def test_a_vendor_that_counts_beside_at_times_is_read_by_its_numbers() -> None:
    ledger = kept("azure", **FULL)
    assert basis(ledger) == [("reasoning_tokens", InclusionBasis.PLAIN)]
    assert told(ledger)["reasoning"][1] == "held"


def test_reasoning_may_stand_outside_the_total_too() -> None:
    ledger = kept("vercel-gateway", **BESIDE | {"total_tokens": 70})
    assert told(ledger)["total"] == (
        "50 prompt + 20 completion = 70 total", "held",
        "Vercel AI Gateway counts reasoning beside completion, and the total leaves it out",
    )  # fmt: skip


def test_where_numbers_fit_both_readings_inside_is_assumed_and_said() -> None:
    ledger = kept(prompt_tokens=50, completion_tokens=20, reasoning_tokens=10)
    assert basis(ledger) == [("reasoning_tokens", InclusionBasis.ASSUMED)]
    assert told(ledger)["reasoning"][1:] == (
        "held", "reasoning is taken as part of completion; the numbers fit both readings",
    )  # fmt: skip


def test_audio_beside_the_prompt_is_read_in_the_same_way() -> None:
    sent = {
        "prompt_tokens": 9,
        "completion_tokens": 8,
        "total_tokens": 57,
        "prompt_tokens_details": {"audio_tokens": 40},
    }
    assert told(kept("mistral", **sent))["total"] == (
        "9 prompt + 8 completion + 40 audio = 57 total", "held", "Mistral counts audio beside prompt",
    )  # fmt: skip


def test_a_difference_that_no_part_fills_is_broken_by_either_reading() -> None:
    ledger = kept("xai", **BESIDE | {"total_tokens": 71})
    assert told(ledger)["total"][1] == "broken"


def test_a_vendor_whose_total_is_known_to_count_more_is_named() -> None:
    ledger = kept("gemini", prompt_tokens=6, completion_tokens=2, total_tokens=10)
    assert told(ledger)["total"][2] == (
        "2 less than total; known for Gemini: the total counts thinking that no other count tells"
    )


# -- money -----------------------------------------------------------------------------------------


def costs(body: bytes, **known: Any) -> list[tuple[str, str | None, Json, bool]]:
    found = ledger_of(analysis(body, **known)).costs
    return [(each.name, each.pointer, each.amount, each.is_derived) for each in found]


def priced(index: int, cost: bytes) -> bytes:
    return b'{"index":%d,"message":{"content":"a"},"finish_reason":"stop"%s}' % (index, cost)


def test_costs_of_choices_are_added_up_exactly_and_the_sum_says_so() -> None:
    body = completion(priced(0, b',"cost_usd":0.00010'), priced(1, b',"cost_usd":2e-4'), more=b"")
    assert costs(body) == [
        ("cost_usd of choice 0", "/choices/0/cost_usd", "0.00010", False),
        ("cost_usd of choice 1", "/choices/1/cost_usd", "2e-4", False),
        ("cost_usd of all choices", None, "0.00030", True),
    ]


def test_a_cost_that_was_not_sent_is_left_out_and_null_is_shown() -> None:
    body = completion(priced(0, b',"cost_usd":null'), priced(1, b""), priced(2, b',"cost_usd":1'))
    assert costs(body) == [
        ("cost_usd of choice 0", "/choices/0/cost_usd", None, False),
        ("cost_usd of choice 2", "/choices/2/cost_usd", "1", False),
    ]
    two = completion(priced(0, b',"cost_usd":1'), priced(1, b""), priced(2, b',"cost_usd":1'))
    assert costs(two)[-1] == ("cost_usd of 2 of 3 choices", None, "2", True)


@pytest.mark.parametrize(("sent", "value"), [(b'"0.0075"', "0.0075"), (b"true", True), (b"{}", {})])
def test_what_stands_in_place_of_a_cost_is_told_and_never_added(sent: bytes, value: Json) -> None:
    body = completion(
        priced(0, b',"cost_usd":' + sent), priced(1, b',"cost_usd":1'), priced(2, b',"cost_usd":1')
    )
    found = ledger_of(analysis(body)).costs
    assert [(each.amount, each.is_odd) for each in found] == [
        (value, True),
        ("1", False),
        ("1", False),
        ("2", False),
    ]


def test_cost_inside_usage_is_told_in_all_and_in_its_parts() -> None:
    money = b'"cost":0.0010,"cost_details":{"upstream":{"input":1e-5,"output":null}}'
    routed = Request(url="https://openrouter.ai/api/v1/chat/completions")
    assert costs(completion(HELLO, more=b'"usage":{%s}' % money), request=routed) == [
        ("cost", "/usage/cost", "0.0010", False),
        ("cost_details upstream input", "/usage/cost_details/upstream/input", "1e-5", False),
        ("cost_details upstream output", "/usage/cost_details/upstream/output", None, False),
    ]


def test_a_cost_inside_usage_that_no_vendor_documents_is_no_stated_cost() -> None:
    assert costs(completion(HELLO, more=b'"usage":{"cost":0.0010}')) == []
