"""The reference documents' own examples, faults included, and answers after their field tables."""

import json
from pathlib import Path

import pytest
from msgspec import UNSET

from inspector.core.analysis import Analysis, Repair, Verdict
from inspector.core.completion import (
    ArgumentsCause,
    ArgumentsState,
    Block,
    BlockKind,
    Choice,
    Result,
    ToolCall,
    Usage,
)
from inspector.core.findings import Where
from inspector.core.reading import analyze, read
from inspector.core.wire.exchange import Exchange

ROOT = Path(__file__).parents[3]
DOCUMENTS = ROOT / "tests" / "operations" / "documents"


def document(name: str) -> Analysis:
    return analyze(Exchange.of_body((DOCUMENTS / name).read_bytes()))


def content(text: str, place: Where) -> Block:
    """The block of a message that consists of its content."""
    return Block(kind=BlockKind.TEXT, type="content", lane=0, text=text, places=(place,))


def codes(result: Analysis) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in result.findings]


def test_000_is_complete_with_cost_duration_and_feedback_token() -> None:
    result = document("000-completion.json")
    assert (result.dialect, result.vendor) == ("workflowai", "workflowai")
    assert (result.object, result.streamed) == ("chat.completion", False)
    assert (result.verdict, result.verdict_reason) == (
        Verdict.COMPLETE,
        "The choice has a finish reason.",
    )
    assert result.model == "gpt-4o-2024-08-06"
    assert result.choices == (
        Choice(
            index=0,
            role="assistant",
            content="The image shows a wooden boardwalk extending through a forest.",
            refusal=None,
            finish_reason="stop",
            result=Result.ANSWERED,
            logprobs=None,
            annotations=[],
            feedback_token="fb_8YMnDbsifkBeAs814beb0dFOJdPeG_0",
            cost_usd="0.001234",
            duration_seconds="2.34",
            blocks=(
                content(
                    "The image shows a wooden boardwalk extending through a forest.",
                    Where(pointer="/choices/0/message/content"),
                ),
            ),
        ),
    )
    assert result.usage == Usage(
        reported=True,
        found_at="/usage",
        prompt_tokens=1117,
        completion_tokens=46,
        total_tokens=1163,
        cached_tokens=0,
        reasoning_tokens=0,
        prompt_audio_tokens=0,
        completion_audio_tokens=0,
        accepted_prediction_tokens=0,
        rejected_prediction_tokens=0,
    )
    assert (result.findings, result.extras, result.repair) == ((), {}, None)


def test_001_is_invalid_json_and_read_as_it_is_meant() -> None:
    result = document("001-completion.json")
    assert result.verdict is Verdict.UNREADABLE
    assert result.verdict_reason.startswith("The body is not valid JSON: ")
    assert (result.dialect, result.object) == ("openai-chat", "chat.completion")
    assert (result.model, result.completion) == ("gpt-3.5-turbo-0613", None)
    assert result.choices == (
        Choice(
            index=0,
            role="assistant",
            content="\n\nHello there, how may I assist you today?",
            blocks=(
                content(
                    "\n\nHello there, how may I assist you today?",
                    Where(pointer="/choices/0/message/content"),
                ),
            ),
            finish_reason="stop",
            result=Result.ANSWERED,
        ),
    )
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (9, 12)
    assert result.repair == Repair(
        ("Left out commas before a closing bracket",),
        {
            "id": "chatcmpl-123",
            "object": "chat.completion",
            "created": 1677652288,
            "model": "gpt-3.5-turbo-0613",
            "system_fingerprint": "fp_44709d6fcb",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": "\n\nHello there, how may I assist you today?",
                    },
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21},
        },
        is_read=True,
    )
    (finding,) = result.findings
    assert finding.code == "json.invalid"
    body = (DOCUMENTS / "001-completion.json").read_bytes()
    comma = body.index(b'",\n    },') + 1
    assert finding.where == Where(byte_start=comma, byte_end=comma + 1)
    assert f"(byte {finding.where.byte_start})" in result.verdict_reason


def test_001_streams_six_chunks_without_data_and_an_elision() -> None:
    result = document("001-chunks.txt")
    assert (result.verdict, result.verdict_reason) == (
        Verdict.ELIDED,
        "6 chunks, shortened with “…” in 1 place, so the text is incomplete.",
    )
    assert (result.dialect, result.streamed) == ("openai-chat", True)
    assert result.choices == (
        Choice(
            index=0,
            role="assistant",
            content="Hello! today?",
            finish_reason="stop",
            blocks=(content("Hello! today?", Where(pointer="/choices/0/delta/content", event=1)),),
            result=Result.ANSWERED,
        ),
    )
    assert result.usage == Usage()
    assert codes(result) == [
        ("framing.no-data-prefix", '6 chunks were sent on lines without "data:".'),
        ("ending.elided", "6 chunks, shortened with “…” in 1 place, so the text is incomplete."),
        ("usage.missing", "No usage was sent: tokens and cost are unknown."),
    ]
    (elided,) = (finding for finding in result.findings if finding.code == "ending.elided")
    body = (DOCUMENTS / "001-chunks.txt").read_bytes()
    assert elided.where.event == 3
    assert body[elided.where.byte_start : elided.where.byte_end] == b"....\n"


def test_002_has_reasoning_and_two_calls_of_which_one_breaks() -> None:
    result = document("002-completion.json")
    assert (result.dialect, result.verdict) == ("openai-chat", Verdict.COMPLETE)
    (one,) = result.choices
    assert one.content is None
    assert one.refusal is None
    assert one.reasoning == "The user wants the stock of two warehouses, so two calls are needed."
    assert one.finish_reason == "tool_calls"
    assert one.tool_calls == (
        ToolCall(
            index=0,
            id="call_lej",
            type="function",
            name="stock_of",
            arguments_text='{"warehouse":"LEJ","item":48213}',
            arguments_state=ArgumentsState.VALID,
        ),
        ToolCall(
            index=1,
            id="call_rtm",
            type="function",
            name="stock_of",
            arguments_text='{"warehouse":"RTM","item":48213',
            arguments_state=ArgumentsState.TRUNCATED,
            arguments_cause=ArgumentsCause.TRUNCATED,
            invalid_at=31,
            invalid_at_byte=31,
            invalid_bytes=(801, 802),
        ),
    )
    assert codes(result) == [
        ("tool.arguments-truncated", "The arguments of stock_of stop mid-JSON.")
    ]
    assert result.usage.total_tokens == 365


def test_003_is_complete() -> None:
    result = document("003-completion.json")
    assert (result.dialect, result.vendor) == ("openai-chat", None)
    assert result.verdict is Verdict.COMPLETE
    assert result.choices == (
        Choice(
            index=0,
            role="assistant",
            content="Hello! How can I help you today?",
            finish_reason="stop",
            blocks=(
                content(
                    "Hello! How can I help you today?", Where(pointer="/choices/0/message/content")
                ),
            ),
            result=Result.ANSWERED,
        ),
    )
    assert result.usage == Usage(
        reported=True, found_at="/usage", prompt_tokens=20, completion_tokens=9, total_tokens=29
    )
    assert result.findings == ()


def test_004_is_legacy_text_with_four_arrays_of_logprobs() -> None:
    result = document("004-completion.json")
    assert (result.dialect, result.object) == ("openai-text", "text_completion")
    assert result.verdict is Verdict.COMPLETE
    (one,) = result.choices
    assert (one.text, one.content, one.role) == (" Leipzig.", UNSET, UNSET)
    assert one.logprobs["tokens"] == [" Le", "ipzig", "."]
    assert one.logprobs["token_logprobs"] == [None, -0.0021, -0.31]
    assert one.logprobs["text_offset"] == [31, 34, 39]
    assert result.usage.accepted_prediction_tokens == 2
    assert result.usage.rejected_prediction_tokens == 2
    assert [code for code, _ in codes(result)] == ["usage.rejected-prediction"]


@pytest.mark.parametrize("path", sorted(DOCUMENTS.iterdir()), ids=lambda path: path.name)
def test_no_document_has_times_or_fields_that_are_not_known(path: Path) -> None:
    machine = read(Exchange.of_body(path.read_bytes()))
    assert machine.analysis().timeline.duration_us is None
    assert machine.tape().reads.at_us == []
    assert machine.analysis().extras == {}
    assert all(choice.extras == {} for choice in machine.analysis().choices)


FENCED = "Every event of the answer:\n\n```json\n{}\n```\n\nThe last one has no delta."


@pytest.mark.parametrize("data", ["", "data: "])
@pytest.mark.parametrize("around", ["{}", FENCED, FENCED.replace("\n", "\r\n")])
@pytest.mark.parametrize("indent", [None, 2])
def test_001_streams_the_same_in_any_paste(data: str, around: str, indent: int | None) -> None:
    blocks = (DOCUMENTS / "001-chunks.txt").read_text().split("\n\n")
    printed = [
        block if "{" not in block else data + json.dumps(json.loads(block), indent=indent)
        for block in blocks
    ]
    result = analyze(Exchange.of_body(around.replace("{}", "\n\n".join(printed)).encode()))
    assert (result.verdict, result.verdict_reason) == (
        Verdict.ELIDED,
        "6 chunks, shortened with “…” in 1 place, so the text is incomplete.",
    )
    assert result.choices[0].content == "Hello! today?"


def test_the_pages_of_000_and_001_print_what_is_read_of_them() -> None:
    answer = (DOCUMENTS / "000-completion.json").read_text()
    page = f"Response Fields\n\nchoices\n\nType: array\n\nExample Response\n\n{answer}\n\nExtra fields\n"
    found = analyze(Exchange.of_body(page.encode()))
    assert (found.verdict, found.completion) == (Verdict.COMPLETE, json.loads(answer))
    both = [(DOCUMENTS / f"001-{name}").read_text() for name in ("completion.json", "chunks.txt")]
    page = "Response object\n\n{}\n\nStreaming completion object\n\n{}".replace("{}", "%s")
    several = analyze(Exchange.of_body((page % tuple(both)).encode()))
    assert several.verdict is Verdict.UNREADABLE
    assert "an answer (line 3) and a stream of 6 chunks" in several.verdict_reason
