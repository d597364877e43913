"""The samples of a first start: each thing worth seeing is there and reads as intended."""

from dataclasses import dataclass

import pytest

from inspector.archive.intake.submission import Submission
from inspector.core.analysis import Analysis, Verdict
from inspector.core.reading import read
from inspector.core.tape import Tape
from inspector.core.wire.exchange import Clock, Exchange
from inspector.transfer.samples import NOTES, RECORDINGS, recording, samples
from tests.operations import recordings as others
from tests.operations.recordings import documents


@dataclass(frozen=True)
class Told:
    exchange: Exchange
    analysis: Analysis
    tape: Tape

    @property
    def codes(self) -> set[str]:
        return {finding.code for finding in self.analysis.findings}


def told(exchange: Exchange) -> Told:
    machine = read(exchange)
    return Told(exchange, machine.analysis(), machine.tape())


ALL = list(samples())
STREAMS = [recording(name) for name in NOTES]


def test_two_choices_are_interleaved_and_complete() -> None:
    sample = told(recording("two-choices"))
    assert sample.analysis.verdict is Verdict.COMPLETE
    assert [choice.index for choice in sample.analysis.choices] == [0, 1]
    assert all(str(choice.content).endswith(".") for choice in sample.analysis.choices)
    lanes = sample.tape.pieces.lane
    assert sum(1 for one, next_ in zip(lanes, lanes[1:], strict=False) if one != next_) > 20
    assert sample.analysis.timeline.counts.comments == 1
    assert sample.codes == {"chunks.choices-interleaved", "timing.stall"}


def test_two_choices_have_a_stall_and_chunks_that_came_together() -> None:
    sample = told(recording("two-choices"))
    (stall,) = sample.analysis.timeline.stalls
    assert stall.end_us - stall.start_us > 1_500_000
    together = [read.data.count(b"data: ") for read in sample.exchange.reads]
    assert max(together) == 11


def test_parallel_calls_of_which_the_second_has_broken_arguments() -> None:
    sample = told(recording("broken-arguments"))
    (choice,) = sample.analysis.choices
    states = [(call.id, call.arguments_state) for call in choice.tool_calls]
    assert states == [("call_a1", "valid"), ("call_b2", "truncated")]
    assert choice.content == "I book both legs now."
    assert choice.finish_reason == "length"
    assert "tool.arguments-truncated" in sample.codes


def test_reasoning_comes_before_the_answer_with_cached_and_reasoning_tokens() -> None:
    sample = told(recording("reasoning"))
    (choice,) = sample.analysis.choices
    assert str(choice.reasoning).startswith("The train leaves at 9:40")
    assert choice.content == "You arrive at 12:15, local time."
    timeline = sample.analysis.timeline
    assert timeline.first_reasoning_us < timeline.first_content_us
    usage = sample.analysis.usage
    assert (usage.cached_tokens, usage.reasoning_tokens) == (1536, 52)
    assert usage.completion_audio_tokens is None, "a null that was sent, neither absent nor 0"
    assert sample.analysis.extras == {"/provider": "eu-2"}
    assert sample.codes == set()


def test_a_refusal_has_no_content() -> None:
    sample = told(others.recording("refusal"))
    (choice,) = sample.analysis.choices
    assert choice.refusal == "I can't help with opening somebody else's mail."
    assert choice.content is None
    assert sample.analysis.verdict is Verdict.COMPLETE


def test_logprobs_stand_beside_every_token_and_one_is_the_sentinel() -> None:
    sample = told(others.recording("logprobs"))
    (choice,) = sample.analysis.choices
    entries = choice.logprobs["content"]
    assert "".join(entry["token"] for entry in entries) == choice.content == "Basel is dry today."
    assert entries[-1]["logprob"] == -9999.0
    assert all(entry["top_logprobs"] for entry in entries)


def test_workflowai_has_feedback_token_cost_and_duration_as_on_the_wire() -> None:
    sample = told(recording("workflowai"))
    (choice,) = sample.analysis.choices
    assert sample.analysis.dialect == "workflowai"
    assert sample.analysis.verdict is Verdict.COMPLETE
    assert str(choice.feedback_token).count(".") == 1
    assert (choice.cost_usd, choice.duration_seconds) == ("0.001023", "1.84")
    assert sample.analysis.usage.total_tokens == 132
    assert not any(finding.severity != "info" for finding in sample.analysis.findings)


def test_the_cut_off_stream_ends_inside_a_word() -> None:
    sample = told(recording("cut-off"))
    assert sample.analysis.verdict is Verdict.CUT_OFF
    assert str(sample.analysis.choices[0].content).endswith("how they treat")
    assert sample.tape.events.kind[-1] == "tail"


def test_the_error_in_mid_stream_keeps_the_text_before_it() -> None:
    sample = told(recording("error-in-stream"))
    assert sample.analysis.verdict is Verdict.PROVIDER_ERROR
    assert sample.analysis.choices[0].content == "The parcel was last seen in"
    assert sample.exchange.status_code == 200


def test_a_message_has_thinking_text_and_a_call_that_keeps_to_its_schema() -> None:
    sample = told(recording("anthropic"))
    (choice,) = sample.analysis.choices
    assert [block.kind for block in choice.blocks] == ["reasoning", "text", "tool-call"]
    (called,) = choice.tool_calls
    assert (called.name, called.is_offered, called.schema_remarks) == ("reserve_slot", True, ())
    assert (sample.analysis.dialect, sample.analysis.result) == ("anthropic", "called")
    assert (sample.analysis.usage.prompt_tokens, sample.codes) == (1238, set())


def test_a_response_has_a_summary_a_search_and_a_text_that_cites() -> None:
    sample = told(recording("responses"))
    (choice,) = sample.analysis.choices
    assert [block.kind for block in choice.blocks] == ["reasoning", "hosted", "text"]
    text = choice.blocks[2]
    (note,) = text.citations
    assert str(text.text)[note["start_index"] : note["end_index"]] == "open until 20:00"
    assert (sample.analysis.dialect, sample.analysis.result) == ("openai-responses", "answered")
    assert sample.codes == {"timing.stall"}


def test_candidates_have_a_thought_a_text_and_a_call() -> None:
    sample = told(others.recording("gemini"))
    (choice,) = sample.analysis.choices
    assert [block.kind for block in choice.blocks] == ["reasoning", "text", "tool-call"]
    assert choice.tool_calls[0].is_offered is True
    assert (sample.analysis.dialect, sample.analysis.result) == ("gemini", "called")
    usage = sample.analysis.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (96, 65, 161)
    assert sample.codes == set()


def test_lines_have_thinking_an_answer_and_clocks_of_the_server() -> None:
    sample = told(others.recording("ollama"))
    (choice,) = sample.analysis.choices
    assert (choice.reasoning, choice.content) == (
        "Twelve times 850 g is 10,200 g.",
        "Together they weigh 10.2 kg.",
    )
    assert len(sample.analysis.timeline.provider_clocks) == 4
    assert (sample.analysis.dialect, sample.codes) == ("ollama", set())


def test_the_documents_are_there_with_the_verdicts_of_their_own_faults() -> None:
    verdicts = [
        (arrival.note, str(read(arrival.exchange).analysis().verdict)) for arrival in documents()
    ]
    assert sorted(verdicts) == [
        ("document 000", "complete"),
        ("document 001", "elided"),
        ("document 001", "unreadable"),
        ("document 002", "complete"),
        ("document 003", "complete"),
        ("document 003", "part"),
        ("document 004", "complete"),
    ]


def test_eight_samples_stand_under_one_tag_and_say_so_in_their_metadata() -> None:
    assert {path.stem for path in RECORDINGS.iterdir()} == set(NOTES)
    assert [arrival.exchange for arrival in ALL] == STREAMS
    assert [arrival.metadata for arrival in ALL] == [{"sample": True}] * 8
    assert {arrival.tags for arrival in ALL} == {("sample",)}
    assert all(arrival.note for arrival in ALL)


def test_the_one_worth_looking_at_first_comes_last() -> None:
    assert ALL[-1].exchange == recording("two-choices")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.reads[0].data[:60].decode())
def test_every_stream_has_reads_with_times_that_ascend(stream: Exchange) -> None:
    times = [one.at_us for one in stream.reads]
    assert len(times) > 5
    assert all(at_us is not None for at_us in times)
    assert times == sorted(set(times))
    assert read(stream).analysis().timeline.clock is Clock.RECORDED
    assert stream.request is not None and b'"stream": true' in (stream.request.body or b"")


def test_nobody_timed_the_documents() -> None:
    clocks = {read(arrival.exchange).analysis().timeline.clock for arrival in documents()}
    assert clocks == {Clock.NONE}


def test_no_sample_is_read_as_anything_unknown() -> None:
    unknown: list[Submission] = [
        arrival for arrival in ALL if read(arrival.exchange).analysis().dialect is None
    ]
    assert unknown == []
