"""The usage ledger of native formats: sums with their summands, and the lines that each format has."""

from inspector.core.formats.anthropic import USAGE as ANTHROPIC
from inspector.core.formats.gemini import USAGE as GEMINI
from inspector.core.formats.ollama import USAGE as OLLAMA
from inspector.core.formats.openai_responses import USAGE as RESPONSES
from inspector.core.formats.usage_table import UsageTable
from inspector.core.json import Json
from inspector.core.tokens.invariants import LedgerLineOutcome
from inspector.core.tokens.ledger import UsageLedger, ledger_entries, odd_counts
from inspector.core.tokens.usage import read_usage
from inspector.core.vendors import vendor_named


def kept(table: UsageTable, sent: dict[str, Json], vendor: str | None = None) -> UsageLedger:
    return UsageLedger(
        read_usage(sent, "/u", path=("u",), table=table), (), vendor_named(vendor), table
    )


def tree(ledger: UsageLedger) -> list[tuple[int, str, object, str | None]]:
    return [(depth, it.wire_name, it.count, it.pointer) for depth, it in ledger_entries(ledger)]


def outcomes(ledger: UsageLedger) -> dict[str, tuple[str, LedgerLineOutcome]]:
    return {line.name: (line.sentence, line.outcome) for line in ledger.checked}


HELD, BROKEN = LedgerLineOutcome.HELD, LedgerLineOutcome.BROKEN


def test_the_sum_of_anthropics_prompt_holds_its_summands_and_no_place_of_its_own() -> None:
    ledger = kept(
        ANTHROPIC,
        {
            "input_tokens": 3,
            "cache_creation_input_tokens": 2048,
            "cache_read_input_tokens": 4,
            "cache_creation": {"ephemeral_5m_input_tokens": 48, "ephemeral_1h_input_tokens": 2000},
            "output_tokens": 12,
        },
    )
    assert tree(ledger) == [
        (0, "prompt_tokens", 2055, None),
        (1, "cache_read_input_tokens", 4, "/u/cache_read_input_tokens"),
        (1, "not cached", 2051, None),
        (1, "cache_creation_input_tokens", 2048, "/u/cache_creation_input_tokens"),
        (2, "ephemeral_5m_input_tokens", 48, "/u/cache_creation/ephemeral_5m_input_tokens"),
        (2, "ephemeral_1h_input_tokens", 2000, "/u/cache_creation/ephemeral_1h_input_tokens"),
        (0, "output_tokens", 12, "/u/output_tokens"),
    ]
    prompt = next(it for _, it in ledger_entries(ledger) if it.name == "prompt_tokens")
    assert [(it.wire_name, it.count, it.pointer) for it in prompt.summands] == [
        ("input_tokens", 3, "/u/input_tokens"),
        ("cache_creation_input_tokens", 2048, "/u/cache_creation_input_tokens"),
        ("cache_read_input_tokens", 4, "/u/cache_read_input_tokens"),
    ]


def test_only_lines_between_counts_that_the_format_has_are_checked() -> None:
    ledger = kept(ANTHROPIC, {"input_tokens": 3, "output_tokens": 12})
    assert ledger.checked == ()
    assert ledger.unchecked == "Not sent, so not checked: cached, reasoning."
    assert kept(OLLAMA, {"eval_count": 9}).lines == ()


def test_what_is_kept_for_5_minutes_and_for_an_hour_is_all_that_was_written() -> None:
    sent = {"input_tokens": 3, "cache_creation_input_tokens": 30, "output_tokens": 12}
    apart = {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}
    name = "cache-write-lifetimes"
    held = outcomes(kept(ANTHROPIC, {**sent, "cache_creation": apart}))[name]
    words = "10 cache write for 5 minutes + 20 cache write for an hour = 30 cache write"
    assert held == (words, HELD)
    apart["ephemeral_1h_input_tokens"] = 21
    assert outcomes(kept(ANTHROPIC, {**sent, "cache_creation": apart}))[name][1] is BROKEN


def test_geminis_total_is_that_of_all_four_counts() -> None:
    sent = {
        "promptTokenCount": 10,
        "toolUsePromptTokenCount": 600,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 645,
    }
    held = outcomes(kept(GEMINI, sent))
    assert held["total"] == ("610 prompt + 35 completion = 645 total", HELD)
    assert held["reasoning"] == ("30 reasoning ≤ 35 completion", HELD)
    assert outcomes(kept(GEMINI, {**sent, "totalTokenCount": 615}))["total"][1] is BROKEN


def test_thoughts_are_never_counted_beside_a_completion_that_includes_them() -> None:
    sent = {
        "promptTokenCount": 10,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 75,
    }
    for vendor in (None, "gemini", "vertexai"):
        ledger = kept(GEMINI, sent, vendor)
        assert ledger.inclusions == ()
        (broken,) = ledger.broken
        assert (broken.name, broken.is_promised) == ("total", True)
        assert broken.why == "30 less than total"


def test_what_is_known_of_a_vendors_chat_does_not_excuse_its_responses() -> None:
    sent = {
        "input_tokens": 80,
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 300},
        "total_tokens": 400,
    }
    assert [line.name for line in kept(RESPONSES, sent, "xai").broken] == ["total", "reasoning"]


def test_more_cached_than_prompted_does_not_hold() -> None:
    ledger = kept(GEMINI, {"promptTokenCount": 10, "cachedContentTokenCount": 11})
    assert [line.sentence for line in ledger.broken] == ["11 cached ≤ 10 prompt"]


def test_a_count_of_a_modality_is_named_by_its_list_and_modality() -> None:
    sent = {
        "promptTokenCount": 10,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 10}],
        "candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": "5"}],
    }
    ledger = kept(GEMINI, sent)
    assert (2, "promptTokensDetails AUDIO", 10, "/u/promptTokensDetails/0/tokenCount") in tree(
        ledger
    )
    found = next(it for _, it in ledger_entries(ledger) if it.name == "completion_text_tokens")
    assert (found.wire_name, found.odd) == ("candidatesTokensDetails TEXT", "5")
    assert found.pointer == "/u/candidatesTokensDetails/0/tokenCount"


def test_what_was_sent_in_place_of_a_summand_is_told_under_its_place() -> None:
    usage = read_usage({"input_tokens": 3, "cache_read_input_tokens": "x"}, "/u", table=ANTHROPIC)
    assert odd_counts(usage) == {
        "prompt_tokens": ("/cache_read_input_tokens", "x"),
        "cached_tokens": ("/cache_read_input_tokens", "x"),
    }


def test_usage_that_is_no_object_is_told_as_a_whole_and_as_no_count() -> None:
    usage = read_usage([{"prompt_tokens": 3}], "/u")
    assert (odd_counts(usage), usage.extras) == ({}, {"": [{"prompt_tokens": 3}]})


def test_a_member_that_only_chat_counts_is_no_odd_count_if_it_is_a_number() -> None:
    usage = read_usage({"input_tokens": 3, "total_tokens": 15}, "/u", table=ANTHROPIC)
    assert odd_counts(usage) == {}
    assert usage.extras == {"/total_tokens": 15}


def test_what_was_not_sent_is_named_as_the_format_names_it() -> None:
    ledger = kept(RESPONSES, {"input_tokens": 80, "output_tokens": None})
    line = next(line for line in ledger.lines if line.name == "total")
    assert line.why == "total_tokens was not sent; output_tokens was sent as null"
