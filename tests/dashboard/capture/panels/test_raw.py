import json

from inspector.core.findings import Finding, Severity, Where
from inspector.dashboard.capture.page.body_lines import BodyLines
from inspector.dashboard.capture.raw.line_folding import LineFragment
from inspector.dashboard.capture.raw.panel import (
    HEAD,
    MAX_LINES,
    TAIL,
    FoldedLines,
    RawLineDisplay,
    TextDisplay,
    draw,
    line_rows,
    lines_around,
)
from tests.dashboard.capture.panels.test_tool_calls import CUT
from tests.dashboard.capture.samples import (
    DONE,
    TWO_CHOICES,
    analysis,
    chunk,
    delta,
    streamed,
    view,
    whole,
)

LONG_STREAM = tuple((1000 + n, chunk(delta(content=f"w{n}"))) for n in range(60))


def drawn(shown: object) -> TextDisplay:
    text = draw(shown).content.display  # type: ignore[arg-type]
    assert isinstance(text, TextDisplay)
    return text


def text(bits: tuple[LineFragment, ...]) -> str:
    return "".join(segment.text for bit in bits for segment in bit.segments)


def lines(raw: TextDisplay) -> list[RawLineDisplay]:
    return [row for row in raw.rows if isinstance(row, RawLineDisplay)]


def test_every_line_has_its_place_event_and_arrival() -> None:
    first, second, third = lines(drawn(streamed(*TWO_CHOICES)))[:3]
    assert (first.line.number, first.line.start, first.kind, first.at_us) == (
        1, 0, "comment", 300_000,
    )  # fmt: skip
    assert (second.line.number, second.event, second.anchor) == (3, 1, True)
    assert third.at_us == second.at_us == 600_000


def test_what_later_chunks_repeat_is_folded_up_to_their_choices() -> None:
    rows = lines(drawn(streamed(*TWO_CHOICES)))
    assert [bit.kind for bit in rows[1].bits] == [""]
    assert [bit.kind for bit in rows[2].bits] == ["", "fold", ""]
    assert text(rows[2].bits[2:]).startswith('"choices":[{"index":1')
    assert text(rows[2].bits) == streamed(*TWO_CHOICES).body.decode().splitlines()[4]


def test_of_bytes_that_are_no_text_two_lines_are_shown() -> None:
    shown = drawn(view(analysis(), bytes(range(128, 256)) * 2 + b"\n\xff" * 30))
    assert [isinstance(row, FoldedLines) for row in shown.rows] == [False, False, True]


def test_a_blank_after_a_comma_folds_no_less() -> None:
    def spaced(text: str) -> str:
        return "data: " + json.dumps({"id": "chatcmpl-1", "object": "chat.completion.chunk",
            "model": "m", "choices": [{"index": 0, "delta": {"content": text}}]}) + "\n\n"  # fmt: skip

    rows = lines(drawn(streamed((1, spaced("a")), (2, spaced("b")))))
    assert [bit.kind for bit in rows[1].bits] == ["", "fold", ""]
    assert text(rows[1].bits[2:]).startswith('"choices": [{"index": 0')


def test_nothing_is_folded_where_all_bytes_are_asked_for() -> None:
    shown = drawn(streamed(*LONG_STREAM, query_params={"raw": "all"}))
    assert not shown.folded
    assert len(lines(shown)) == 60


def test_runs_of_lines_are_one_row_with_count_and_bytes() -> None:
    shown = drawn(streamed(*LONG_STREAM))
    (run,) = [row for row in shown.rows if isinstance(row, FoldedLines)]
    assert (run.start, run.end, run.lines) == (HEAD, 60 - TAIL, 60 - HEAD - TAIL)
    assert (run.first_event, run.last_event) == (HEAD, 60 - TAIL - 1)
    assert len(lines(shown)) == HEAD + TAIL


def test_what_a_finding_points_at_is_shown_and_marked() -> None:
    body = streamed(*LONG_STREAM)
    assert body.tape is not None and body.analysis is not None
    start = body.tape.events.byte_start[30]
    where = Where(event=30, byte_start=start, byte_end=start + 10)
    error = Finding(code="a.b", severity=Severity.ERROR, message="", where=where)
    shown = drawn(view(analysis(findings=(error,)), body.body, tape=body.tape))
    assert [(row.event, row.severity) for row in lines(shown)][HEAD : HEAD + 7] == [
        (27, ""), (28, ""), (29, ""), (30, "error"), (31, ""), (32, ""), (33, ""),
    ]  # fmt: skip


def test_the_event_that_breaks_a_call_is_marked() -> None:
    marked = [row.event for row in lines(drawn(streamed(*CUT))) if row.severity == "error"]
    assert marked == [2]


def test_the_byte_that_breaks_is_set_apart() -> None:
    (row,) = lines(drawn(whole(b'{"object":"chat.completion","choices":[,]}')))
    assert row.severity == "error"
    assert [text((bit,)) for bit in row.bits if bit.kind == "break"] == [","]


def test_a_body_that_is_no_stream_has_no_events() -> None:
    shown = drawn(whole({"object": "chat.completion", "choices": []}))
    assert not shown.has_events and not shown.has_times
    assert lines(shown)[0].event is None


def test_a_long_line_keeps_head_and_tail_and_a_huge_one_leaves_its_middle_behind() -> None:
    long, huge = b"x" * 3_000, b"y" * 90_000
    bits = lines(drawn(view(None, long)))[0].bits
    assert [(bit.kind, bit.length) for bit in bits] == [("", 0), ("middle", 2_400), ("", 0)]
    assert text(bits).encode() == long
    bits = lines(drawn(view(None, huge)))[0].bits
    assert (bits[1].kind, bits[1].length, bits[1].segments) == ("omitted", 89_400, ())


def test_bytes_that_are_no_utf8_and_characters_nobody_sees_are_named() -> None:
    (row,) = lines(drawn(view(None, b"caf\xe9 \xe2\x80\xae \x00")))
    assert text(row.bits) == "caf[byte e9] [RLO] [NUL]"


def test_a_page_holds_no_more_lines_than_it_can() -> None:
    shown = drawn(view(None, b"line\n" * 5_000, query_params={"raw": "all"}))
    assert len(lines(shown)) == MAX_LINES
    assert isinstance(shown.rows[-1], FoldedLines) and shown.rows[-1].end == 5_000


def test_an_empty_body_is_said_to_be_empty() -> None:
    assert draw(view(None, b"")).why_empty == "The body is empty."


def test_a_capture_that_was_not_inspected_shows_its_bytes() -> None:
    assert text(lines(drawn(view(None, DONE.encode())))[0].bits) == "data: [DONE]"


def test_around_a_byte_few_lines_are_shown_before_it_and_more_behind() -> None:
    lines = BodyLines(b"line\n" * 100)
    assert lines_around(lines, 5 * 50, 0, 100) == range(44, 90)
    assert lines_around(lines, 0, 0, 100) == range(0, 40)
    assert lines_around(lines, 5 * 99, 0, 100) == range(93, 100)


def test_around_a_byte_the_bounds_of_the_run_hold() -> None:
    lines = BodyLines(b"line\n" * 100)
    assert lines_around(lines, 5 * 50, 48, 52) == range(48, 52)
    assert lines_around(lines, 5 * 10, 48, 52) == range(48, 52)
    assert lines_around(lines, 5 * 90, 48, 52) == range(48, 52)
    assert lines_around(lines, 0, 48, 48) == range(48, 48)


def test_a_long_line_before_a_place_does_not_take_its_room() -> None:
    body = b"a\n" + b"x" * 200_000 + b"\nb\nc\n"
    assert lines_around(BodyLines(body), body.index(b"c"), 0, 4) == range(2, 4)


def underlined(shown: object) -> list[str]:
    bits = [bit for row in lines(drawn(shown)) for bit in row.bits]
    return [text((bit,)) for bit in bits if bit.is_unknown]


def test_fields_that_the_dialect_does_not_define_are_underlined_with_their_names() -> None:
    first = chunk(delta(content="a", mood={"x": [1]}), provider="eu-2")
    assert underlined(streamed((1, first + DONE))) == ['"mood":{"x":[1]}', '"provider":"eu-2"']
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "queue_time": 0.50}
    document = {"object": "chat.completion", "choices": [], "usage": usage, "usage2": 1}
    assert underlined(whole(document)) == ['"queue_time": 0.5', '"usage2": 1']
    assert underlined(streamed(*TWO_CHOICES)) == []


def test_a_field_over_several_lines_is_underlined_in_each() -> None:
    body = b'{"object":"chat.completion","choices":[],\n "odd": {\n  "a": 1\n }\n}'
    assert underlined(whole(body)) == ['"odd": {', '  "a": 1', " }"]


def test_underlining_leaves_no_byte_out_and_the_break_in_it() -> None:
    body = b'{"object":"chat.completion","choices":[],"odd":"x' + b"y" * 30 + b'","z":,}'
    shown = whole(body)
    assert "".join(text(row.bits) for row in lines(drawn(shown))).encode() == body
    assert any(bit.kind == "break" for row in lines(drawn(shown)) for bit in row.bits)


def test_a_byte_that_is_asked_for_is_shown_in_the_middle_of_a_long_line() -> None:
    shown = view(None, b"a" * 100_000 + b"\xc3\xa9" + b"b" * 100_000)
    (row,) = [
        row for row in line_rows(shown, [0], 0, 1, 100_000) if isinstance(row, RawLineDisplay)
    ]
    kinds = [(bit.kind, text((bit,))[-3:]) for bit in row.bits]
    assert [kind for kind, _ in kinds] == ["", "omitted", "", "lit", "", "omitted", ""]
    assert kinds[2][1] == "aaa" and kinds[3][1] == "é" and row.is_clipped


def test_a_byte_that_is_asked_for_opens_what_repeats() -> None:
    shown = streamed(*TWO_CHOICES)
    line = shown.lines.all[2]
    (row,) = [
        r for r in line_rows(shown, [2], 2, 3, line.start + 20) if isinstance(r, RawLineDisplay)
    ]
    assert [bit.kind for bit in row.bits] == ["", "lit", ""] and not row.is_clipped
