"""Whatever is asked for: faults that change no data send exactly the body, others what they say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.core.wire.exchange import Exchange, Read
from inspector.replay.options import InvalidOption, ReplayOptions, parse_options
from inspector.replay.plan import PlanEnding, plan
from inspector.replay.recorded_answer import RecordedAnswer, answer_of

NUMBERS = st.integers(0, 40)
SPEEDS = st.sampled_from(["0", "0.25", "1", "3.5", "16"])
SPLITS = st.one_of(st.sampled_from(["utf8", "crlf", "bytes"]), st.integers(1, 9).map(str))
GLUES = st.one_of(st.just("all"), st.integers(2, 9).map(str))
BYTES = st.binary(max_size=12) | st.text("aü€\r\n", max_size=8).map(str.encode)
READS = st.lists(st.tuples(st.integers(0, 10_000_000), BYTES), max_size=8)


def answer_with(reads: list[tuple[int, bytes]], has_times: bool) -> RecordedAnswer:
    times = sorted(at for at, _ in reads)
    timed = zip(times, reads, strict=True)
    recorded = tuple(Read(at if has_times else None, data) for at, (_, data) in timed)
    found = answer_of(Exchange(reads=recorded, status_code=200, headers=()), "c-1")
    assert found is not None
    return found


def parsed(**wanted: str | None) -> ReplayOptions | None:
    pairs = [(name.replace("_", "-"), value) for name, value in wanted.items() if value]
    found = parse_options(query=pairs)
    return found if isinstance(found, ReplayOptions) else None


@given(
    READS,
    st.booleans(),
    SPEEDS,
    st.sampled_from(["0", "0.3", "1"]),
    st.none() | SPLITS,
    st.none() | GLUES,
    st.none() | st.integers(0, 12),
    NUMBERS,
)
def test_a_plan_without_faults_that_change_data_sends_exactly_the_body(
    reads: list[tuple[int, bytes]],
    has_times: bool,
    speed: str,
    jitter: str,
    split: str | None,
    glue: str | None,
    stall: int | None,
    number: int,
) -> None:
    answer = answer_with(reads, has_times)
    body = b"".join(data for _, data in reads)
    options = parsed(
        speed=speed,
        jitter=jitter,
        seed=str(number),
        split=split,
        glue=glue,
        stall_byte=None if stall is None else str(stall),
        stall_seconds=None if stall is None else "0.5",
    )
    if options is None:
        assert split and glue
        return
    found = plan(answer, options, number)
    if isinstance(found, InvalidOption):
        assert (found.name == "stall-byte" and stall is not None and stall > len(body)) or (
            found.name == "split" and split in ("utf8", "crlf")
        )
        return
    assert b"".join(step.data for step in found.steps) == body
    assert all(step.data for step in found.steps)
    times = [found.head.at_us, *(step.at_us for step in found.steps), found.head.end_at_us]
    assert times == sorted(times)
    assert found.head.ending is PlanEnding.WHOLE
    assert found == plan(answer, options, number)


@given(READS, st.integers(0, 60), st.none() | SPLITS, st.none() | GLUES, SPEEDS)
def test_a_cut_sends_exactly_the_bytes_before_it(
    reads: list[tuple[int, bytes]], cut: int, split: str | None, glue: str | None, speed: str
) -> None:
    body = b"".join(data for _, data in reads)
    options = parsed(cut_byte=str(cut), split=split, glue=glue, speed=speed)
    if options is None:
        return
    found = plan(answer_with(reads, True), options, 0)
    if isinstance(found, InvalidOption):
        assert cut > len(body) or split in ("utf8", "crlf")
        return
    assert b"".join(step.data for step in found.steps) == body[:cut]
    assert found.head.ending is PlanEnding.CUT


@given(READS, st.integers(0, 10_000))
def test_reads_at_speed_1_come_at_their_recorded_times(
    reads: list[tuple[int, bytes]], number: int
) -> None:
    answer = answer_with(reads, True)
    found = plan(answer, ReplayOptions(seed=number), number)
    assert not isinstance(found, InvalidOption)
    recorded = [(read.at_us, read.data) for read in answer.reads if read.data]
    assert [(step.at_us, step.data) for step in found.steps] == recorded


@given(READS, st.integers(0, 8), st.integers(0, 50))
def test_any_swap_keeps_all_bytes(reads: list[tuple[int, bytes]], seed: int, number: int) -> None:
    options = parsed(swap="any", seed=str(seed))
    assert options is not None
    found = plan(answer_with(reads, True), options, number)
    if len(reads) < 2:
        assert isinstance(found, InvalidOption)
        return
    assert not isinstance(found, InvalidOption)
    sent = b"".join(step.data for step in found.steps)
    assert sorted(sent) == sorted(b"".join(data for _, data in reads))
