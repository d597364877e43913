"""Times that the provider states: as they were spelt, with their unit, and never mixed with ours."""

import pytest

from inspector.core.analysis import ProviderClock
from tests.core.bodies import DONE, HELLO, STOP, analysis, chunk, completion, delta


def clocks(body: bytes) -> dict[str, ProviderClock]:
    return {clock.name: clock for clock in analysis(body).timeline.provider_clocks}


def test_groqs_times_stand_in_usage() -> None:
    told = clocks(completion(HELLO, more=b'"usage":{"queue_time":0.065433504,"total_time":1.50}'))
    assert told["queue_time"] == ProviderClock(
        name="queue_time",
        pointer="/usage/queue_time",
        value="0.065433504",
        unit="s",
        seconds="0.065433504",
    )
    assert told["total_time"].value == told["total_time"].seconds == "1.50"


def test_groqs_times_of_a_stream_stand_in_its_own_object() -> None:
    more = b'"x_groq":{"usage":{"prompt_tokens":3,"prompt_time":2e-3}}'
    told = clocks(chunk(delta(b'"content":"a"')) + chunk(STOP, more=more) + DONE)
    assert told["prompt_time"] == ProviderClock(
        name="prompt_time",
        pointer="/x_groq/usage/prompt_time",
        event=1,
        value="2e-3",
        unit="s",
        seconds="0.002",
    )


def test_llama_cpps_timings_are_times_and_speeds() -> None:
    more = b'"timings":{"predicted_n":9,"predicted_ms":250.5,"predicted_per_second":35.93}'
    told = clocks(chunk(STOP, more=more) + DONE)
    assert (told["predicted_ms"].unit, told["predicted_ms"].seconds) == ("ms", "0.2505")
    speed = told["predicted_per_second"]
    assert (speed.unit, speed.value, speed.seconds) == ("tokens/s", "35.93", None)
    assert "predicted_n" not in told


def test_of_timings_in_every_chunk_the_last_hold() -> None:
    timings = (b'"timings":{"predicted_ms":%d}' % ms for ms in (100, 200))
    told = clocks(b"".join(chunk(delta(b'"content":"a"'), more=more) for more in timings) + DONE)
    assert (told["predicted_ms"].value, told["predicted_ms"].event) == ("200", 1)


def test_ollamas_durations_are_nanoseconds() -> None:
    last = b'{"model":"m","done":true,"response":"","total_duration":1230275417,"eval_count":3}\n'
    told = clocks(b'{"model":"m","done":false,"response":"a"}\n' + last)
    assert told["total_duration"] == ProviderClock(
        name="total_duration",
        pointer="/total_duration",
        event=1,
        value="1230275417",
        unit="ns",
        seconds="1.230275417",
    )


def test_time_info_and_latency_checkpoints_are_read() -> None:
    more = b'"time_info":{"total_time":0.02,"created":1761070221.75},"latency_checkpoint":{"engine_ttft_ms":42}'
    told = clocks(chunk(STOP, more=more) + DONE)
    assert {name: clock.pointer for name, clock in told.items()} == {
        "total_time": "/time_info/total_time",
        "engine_ttft_ms": "/latency_checkpoint/engine_ttft_ms",
    }


def test_each_choice_has_its_own_duration() -> None:
    told = clocks(completion(HELLO[:-1] + b',"duration_seconds":1.20}'))
    assert told["duration_seconds"] == ProviderClock(
        name="duration_seconds",
        pointer="/choices/0/duration_seconds",
        value="1.20",
        unit="s",
        seconds="1.20",
    )


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (b"-1.5", "negative"),
        (b"true", "not a number"),
        (b'"0.5"', "not a number"),
        (b"[1]", "not a number"),
        (b"{}", "not a number"),
        (b"1e308", "out of range"),
        (b"1e400", "out of range"),
        (b"1e-400", "out of range"),
        (b"1e999999999999", "out of range"),
        (b"1e9999999999999999999", "out of range"),
        (b"1e-9999999999999999999", "out of range"),
        (b"9" * 5_000, "out of range"),
        (b"86400.5", "longer than a day"),
    ],
)
def test_what_is_no_time_is_shown_as_sent_and_says_why(sent: bytes, fault: str) -> None:
    told = clocks(completion(HELLO, more=b'"usage":{"total_time":%s}' % sent))["total_time"]
    assert (told.seconds, told.fault) == (None, fault)
    assert told.value == sent[:60].decode() + ("…" if len(sent) > 60 else "")


@pytest.mark.parametrize("sent", [b"0", b"-0", b"0.0", b"0e5", b"86400", b"1E-3", b"1.5e+1"])
def test_odd_spellings_of_times_are_times(sent: bytes) -> None:
    told = clocks(completion(HELLO, more=b'"usage":{"total_time":%s}' % sent))["total_time"]
    assert told.fault is None and told.seconds is not None
    assert float(told.seconds) == abs(float(sent))


def test_a_null_is_no_time() -> None:
    assert clocks(completion(HELLO, more=b'"usage":{"total_time":null},"timings":null')) == {}


def created(*values: bytes) -> tuple[int, int, int] | None:
    chunks = (b'data: {"created":%s,"choices":[%s]}\n\n' % (value, STOP) for value in values)
    told = analysis(b"".join(chunks) + DONE).timeline.created
    return (told.first, told.last, told.changes) if told else None


def test_the_created_of_chunks_is_a_clock_of_whole_seconds() -> None:
    assert created(b"100", b"100", b"101", b"103") == (100, 103, 2)
    assert created(b"0", b"100", b"0") == (100, 100, 0)
    assert created(b"103", b"100") == (103, 100, 1)


@pytest.mark.parametrize("value", [b"null", b'"100"', b"-5", b"true", b"1.5", b"9" * 30])
def test_what_is_no_second_is_no_created(value: bytes) -> None:
    assert created(value) is None
