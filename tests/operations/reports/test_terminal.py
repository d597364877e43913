"""One input in a terminal of 60 columns, as a person reads it."""

import json
from pathlib import Path

import pytest

from tests.core.bodies import HELLO, completion
from tests.operations.reports.inspecting import FIRST, LAST, WHOLE, told, write_reads

HERE = Path(".")


def test_a_whole_answer_is_told_from_verdict_to_findings() -> None:
    Path("a.json").write_bytes(WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6'))
    assert told("a.json") == (
        "a.json\n"
        "✓ complete, answered. The choice has a finish reason.\n"
        "openai-chat, vendor unknown, whole, model m\n"
        "\n"
        "choice 0  role assistant  finish reason stop\n"
        "  content, 5 characters\n"
        "    Hello\n"
        "\n"
        "timeline\n"
        "  no times were recorded\n"
        "\n"
        "usage\n"
        "  total_tokens                           6\n"
        "    prompt_tokens                        3\n"
        "      cached_tokens               not sent\n"
        "      audio_tokens                not sent\n"
        "    completion_tokens                    2\n"
        "      reasoning_tokens            not sent\n"
        "      audio_tokens                not sent\n"
        "      accepted_prediction_tokens  not sent\n"
        "      rejected_prediction_tokens  not sent\n"
        "  ✗ 3 prompt + 2 completion = 6 total: 1 less than total\n"
        "  Not sent, so not checked: cached, reasoning, prompt audio,\n"
        "  completion audio, accepted and rejected prediction.\n"
        "\n"
        "findings  1 warning\n"
        "  ▲ warning  usage.total-mismatch\n"
        "    3 prompt + 2 completion = 6 total does not hold: 1 less\n"
        "    than total.\n"
        "    /usage/total_tokens\n"
    )


def test_calls_are_named_beside_the_verdict_too() -> None:
    call = b'{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}'
    said = HELLO.replace(b'"content":"Hello"', b'"content":null,"tool_calls":[%s]' % call)
    assert said != HELLO
    Path("a.json").write_bytes(completion(said))
    assert "✓ complete, called. " in told("a.json")


def test_a_stream_with_times_is_drawn_and_its_stall_is_told() -> None:
    half = FIRST.replace(b"Hello", b"Good ")
    write_reads(
        Path("a.reads.jsonl"), (400_000, FIRST), (440_000, half), (480_000, half), (3_000_000, LAST)
    )
    assert told("a.reads.jsonl").split("\n\n")[2] == (
        "timeline\n"
        "  ·······███···············································█\n"
        "  4 reads, 4 chunks in 3.000 s\n"
        "  first byte 0.400 s, first chunk 0.400 s, first content\n"
        "  0.400 s\n"
        "  gaps between chunks: p50 40 ms, p95 2,520 ms, max 2,520 ms\n"
        "  stall of 2.520 s from 0.480 s\n"
        "  a stall is longer than 1.0 s and than eight times the p95\n"
        "  of the other gaps\n"
        "  choice 0 content, 125 characters a second\n"
        "  times as submitted"
    )


def test_how_the_chunks_came_is_told_with_its_reason() -> None:
    write_reads(Path("a.reads.jsonl"), (1, FIRST * 12), (600_001, FIRST * 12), (1_200_001, LAST))
    assert (
        "  pacing held back. 25 chunks arrived in 3 batches of up to\n"
        "  12, with 600 ms of silence between most of them.\n"
    ) in told("a.reads.jsonl")


def test_what_the_provider_says_of_times_is_told_without_any_recorded() -> None:
    usage = b'"usage":{"total_time":1.50,"queue_time":-1}'
    Path("a.json").write_bytes(completion(HELLO, more=usage))
    assert told("a.json").split("\n\n")[2] == (
        "timeline\n"
        "  no times were recorded\n"
        "  the provider says queue_time -1 s (negative)\n"
        "  the provider says total_time 1.50 s"
    )


def test_reads_whose_times_contradict_each_other_are_not_drawn() -> None:
    write_reads(Path("a.reads.jsonl"), (400_000, FIRST), (2**60, FIRST), (300_000, LAST))
    timeline = told("a.reads.jsonl").split("\n\n")[2]
    assert timeline.startswith("timeline\n  3 reads\n  times that contradict others 3 reads")


def test_a_clock_that_begins_with_the_first_read_knows_no_first_times() -> None:
    write_reads(Path("a.reads.jsonl"), (0, FIRST), (250_000, LAST))
    assert told("a.reads.jsonl").split("\n\n")[2] == (
        "timeline\n"
        "  █························································█\n"
        "  2 reads, 2 chunks in 0.250 s\n"
        "  the recording begins with the first read: first-times are\n"
        "  unknown\n"
        "  gaps between chunks: p50 250 ms, p95 250 ms, max 250 ms\n"
        "  times as submitted"
    )


def test_one_moment_is_not_drawn() -> None:
    write_reads(Path("a.reads.jsonl"), (0, FIRST + LAST))
    assert "1 read, 2 chunks in 0.000 s\n" in told("a.reads.jsonl")
    assert "█" not in told("a.reads.jsonl")


def test_usage_keeps_absent_null_and_zero_apart_and_says_what_it_derived() -> None:
    usage = (
        b'"usage":{"prompt_tokens":1200,"prompt_tokens_details":{"cached_tokens":1000,"audio_tokens":0},'
        b'"completion_tokens":null,"completion_tokens_details":{"accepted_prediction_tokens":"all"},'
        b'"tokens_of_tools":7}'
    )
    Path("a.json").write_bytes(WHOLE[: WHOLE.index(b'"usage"')] + usage + b"}")
    assert told("a.json").split("\n\n")[3] == (
        "usage\n"
        "  total_tokens                    not sent\n"
        "    prompt_tokens                    1,200\n"
        "      cached_tokens                  1,000\n"
        "      not cached, derived              200\n"
        "      audio_tokens                       0\n"
        "    completion_tokens                 null\n"
        "      reasoning_tokens            not sent\n"
        "      audio_tokens                not sent\n"
        '      accepted_prediction_tokens     "all"\n'
        "      rejected_prediction_tokens  not sent\n"
        "  – 1,200 prompt + completion = total: total_tokens was not\n"
        "  sent; completion_tokens was sent as null\n"
        "  ✓ 1,000 cached ≤ 1,200 prompt\n"
        "  ✓ 0 audio ≤ 1,200 prompt\n"
        "  – accepted prediction + rejected prediction ≤ completion:\n"
        "  rejected_prediction_tokens was not sent; completion_tokens\n"
        "  was sent as null; accepted_prediction_tokens was not sent\n"
        "  as a count\n"
        "  Not sent, so not checked: reasoning, completion audio.\n"
        "  /tokens_of_tools 7"
    )


def test_usage_that_was_not_sent_is_not_zero() -> None:
    Path("a.sse").write_bytes(FIRST + LAST)
    assert told("a.sse").split("\n\n")[3] == "usage\n  not sent"


def test_choices_show_reasoning_refusal_and_calls_with_the_state_of_their_arguments() -> None:
    message = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "\nFirst the stock.\nThen the price.",
        "refusal": "",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "stock", "arguments": '{"n":1}'}},
            {"id": "b", "type": "function", "function": {"name": "price", "arguments": '{"n":'}},
            {"id": "c", "type": "function", "function": {"name": "now", "arguments": ""}},
            {"id": "d", "type": "function", "function": {"name": "go", "arguments": "{'n':True}"}},
        ],
    }
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    Path("a.json").write_text(json.dumps({"object": "chat.completion", "choices": [choice]}))
    assert told("a.json").split("\n\n")[1] == (
        "choice 0  role assistant  finish reason tool_calls\n"
        "unusable-call\n"
        "  reasoning, 33 characters\n"
        "    First the stock.\n"
        "    Then the price.\n"
        "  content null\n"
        "  refusal empty text\n"
        "  tool call stock, arguments valid, 7 characters\n"
        '    {"n":1}\n'
        "  tool call price, arguments truncated, 5 characters\n"
        '    {"n":\n'
        "  tool call now, arguments empty, 0 characters\n"
        "  tool call go, arguments invalid (python-literal), 10\n"
        "  characters\n"
        "    {'n':True}"
    )


def test_a_choice_that_says_nothing_says_so() -> None:
    Path("a.json").write_bytes(b'{"choices":[{"index":0,"message":{}}]}')
    assert told("a.json").split("\n\n")[1] == (
        "choice 0  role not sent  finish reason not sent  empty\n  nothing was sent"
    )


def test_a_long_line_is_cut_and_its_length_is_told() -> None:
    Path("a.json").write_bytes(WHOLE.replace(b"Hello", b"x" * 5_000))
    out = told("a.json")
    assert "content, 5,000 characters\n" in out
    assert out.count("x") == 240 and "x …\n" in out


def test_a_finding_has_its_event_its_bytes_and_its_line() -> None:
    Path("a.sse").write_bytes(FIRST + b"Data: x\n\n" + LAST)
    start = len(FIRST)
    assert (
        "  ▲ warning  framing.misspelt-field\n"
        "    The line beginning 'Data' is not an event field.\n"
        f"    event #1, bytes {start}–{start + 8}, line 3:1\n"
    ) in told("a.sse")


def test_more_than_a_hundred_findings_are_counted() -> None:
    calls = [{"function": {"name": f"f{n}", "arguments": "{"}} for n in range(150)]
    choice = {"index": 0, "message": {"tool_calls": calls}, "finish_reason": "tool_calls"}
    Path("a.json").write_text(json.dumps({"choices": [choice]}))
    out = told("a.json")
    assert out.count("■ error  ") == 100
    assert "more findings; --json has them all\n" in out
    assert "  and 130 more tool calls; --json has them all\n" in out


def test_fields_that_nobody_knows_are_shown() -> None:
    body = WHOLE.replace(b'"index":0,', b'"index":0,"mood":{"calm":true},')
    Path("a.json").write_bytes(body[:-1] + b',"provider":"eu-2"}')
    assert told("a.json").split("\n\n")[4] == (
        'fields that the format does not know\n  /provider "eu-2"\n  choice 0 /mood {"calm": true}'
    )


def test_a_stream_says_in_which_event_its_usage_came() -> None:
    usage = b'data: {"id":"c1","object":"chat.completion.chunk","created":1795183339,"model":"m","choices":[],"usage":{"total_tokens":1}}\n\n'
    Path("a.sse").write_bytes(FIRST + usage + LAST)
    assert "\nusage  event #1\n" in told("a.sse")


def test_no_name_is_too_long_for_a_terminal() -> None:
    Path("a.json").write_bytes(
        WHOLE.replace(b'"m"', b'"' + b"m" * 100_000 + b'"').replace(
            b'"usage":{', b'"' + b"k" * 100_000 + b'":1,"usage":{"' + b"u" * 100_000 + b'":2,'
        )
    )
    assert len(told("a.json")) < 4_000


HOSTILE = "[red]x[/red] :smile: \\u001b[31mred\\u001b]52;c;QQ==\\u0007 a\\rb \\u202e\\u2066 \\u009b2J \\ud800"


def test_what_a_model_wrote_is_inert_and_seen() -> None:
    body = WHOLE.decode().replace("Hello", HOSTILE).replace('"m"', '"m\\u001b[2J"')
    Path("a.json").write_text(body.replace('"stop"', '"\\u001b]0;x"'))
    out = told("a.json")
    assert {character for character in out if not character.isprintable()} == {"\n"}
    assert "    [red]x[/red] :smile: ␛[31mred␛]52;c;QQ==␇ a␍b [RLO][LRI]\n" in out
    assert "model m␛[2J\n" in out
    assert "finish reason ␛]0;x\n" in out


def test_an_error_message_a_field_and_a_name_of_a_file_are_inert_too() -> None:
    Path("a.json").write_bytes(b'{"error":{"message":"[bold]\\u001b[2J"}}')
    Path("b\x1b[2J.sse").write_bytes(b"\x1b[2J: 1\n" + FIRST + LAST)
    assert "[bold]␛[2J" in told("a.json")
    assert told("b\x1b[2J.sse").startswith("b␛[2J.sse\n")
    assert "\x1b" not in told("a.json") + told("b\x1b[2J.sse") + told(HERE)


def test_colour_is_asked_for_and_can_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.json").write_bytes(WHOLE)
    assert "\x1b[1;32m✓ complete, answered. " in told("a.json", "--force-color")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "✓ complete, answered. " in told("a.json")
    assert "\x1b[1;32m" not in told("a.json")


def test_no_line_is_a_command_to_the_runner_of_a_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.json").write_bytes(WHOLE.replace(b"Hello", b"::add-mask::Hello ##[group]"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    lines = told("a.json").splitlines()
    command, token = lines[0].rsplit("::", 1)
    assert (command, len(token)) == ("::stop-commands", 32)
    assert lines[-1] == f"::{token}::"
    assert "    ::add-mask::Hello ##[group]" in lines[1:-1]


def test_a_text_is_told_by_its_first_lines() -> None:
    text = "<think>\n\nhm\n</think>\n\nOne.\nTwo.\nThree.\nFour."
    Path("a.json").write_bytes(WHOLE.replace(b"Hello", json.dumps(text)[1:-1].encode()))
    shown = ["<think>", "hm", "</think>", "One.", "Two.", "Three.", "…"]
    assert "".join(f"    {line}\n" for line in shown) in told("a.json")


def test_a_reading_that_is_proposed_stands_apart() -> None:
    Path("a.json").write_bytes(WHOLE[:-1] + b",}")
    out = told("a.json")
    assert "proposed reading  never received, read above\n  Left out commas" in out
    Path("b.json").write_bytes(WHOLE.replace(b'"Hello"', b"'Hello'"))
    out = told("b.json")
    assert "no choices were read" in out
    assert "proposed reading  never received, not counted above\n" in out


MESSAGE = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "", "signature": "c2ln"},
        {"type": "text", "text": "I look."},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "toolu_1", "name": "rain", "input": {"place": "Bergen"}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 3, "output_tokens": 2},
}


def test_the_parts_of_a_message_are_told_in_their_order_and_counts_without_a_total() -> None:
    Path("a.json").write_text(json.dumps(MESSAGE))
    _, choice, _, usage, _ = told("a.json").split("\n\n")
    assert choice == (
        "choice 0  role assistant  finish reason tool_use\n"
        "  thinking, sent without text\n"
        '    {"type": "thinking", "thinking": "", "signature":\n'
        '    "c2ln"}\n'
        "  text, 7 characters\n"
        "    I look.\n"
        "  server tool use, run by the provider\n"
        '    {"type": "server_tool_use", "id": "s1", "name":\n'
        '    "web_search", "input": {"query": "rain"}}\n'
        "  text, 11 characters\n"
        "    One moment.\n"
        "  tool call rain, arguments valid, 19 characters\n"
        '    {"place": "Bergen"}'
    )
    assert usage.startswith("usage\n  input_tokens   3\n")
