"""Options: what each may be, where they may stand, and which contradict each other."""

from __future__ import annotations

import pytest

from inspector.replay.options import (
    OPTIONS,
    InvalidOption,
    ReplayOptions,
    options_in_path,
    parse_options,
    path_without_options,
)


def asked(*pairs: tuple[str, str]) -> ReplayOptions | InvalidOption:
    return parse_options(query=pairs)


def test_without_options_an_answer_is_replayed_as_recorded() -> None:
    assert asked() == ReplayOptions(speed=1.0, jitter=0.0, seed=0)


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("speed", "0", "speed", 0.0),
        ("speed", "0.0", "speed", 0.0),
        ("speed", "0.25", "speed", 0.25),
        ("speed", "16", "speed", 16.0),
        ("jitter", "1", "jitter", 1.0),
        ("seed", "9007199254740991", "seed", 9007199254740991),
        ("cut-byte", "0", "cut_byte", 0),
        ("cut-byte", "any", "cut_byte", "any"),
        ("cut-event", "7", "cut_event", 7),
        ("cut-second", "2.5", "cut_second", 2.5),
        ("stall-byte", "12", "stall_byte", 12),
        ("stall-event", "3", "stall_event", 3),
        ("split", "utf8", "split", "utf8"),
        ("split", "crlf", "split", "crlf"),
        ("split", "bytes", "split", "bytes"),
        ("split", "7", "split", 7),
        ("glue", "all", "glue", "all"),
        ("glue", "2", "glue", 2),
        ("swap", "0", "swap", 0),
        ("end-mark", "drop", "end_mark", "drop"),
        ("end-mark", "double", "end_mark", "double"),
        ("status", "529", "status", 529),
        ("content-type", "text/html; charset=x", "content_type", "text/html; charset=x"),
        ("drop-header", "X-One, x-two", "drop_header", ("x-one", "x-two")),
        ("add-header", "X-One: a:b", "add_header", (("x-one", "a:b"),)),
    ],
)
def test_a_value_within_bounds_is_taken(name: str, text: str, field: str, value: object) -> None:
    assert getattr(asked((name, text)), field) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("speed", "0.0001"),
        ("speed", "0.2"),
        ("speed", "16.1"),
        ("speed", "-1"),
        ("speed", "1e3"),
        ("speed", "nan"),
        ("speed", "inf"),
        ("speed", "1_0"),
        ("speed", ""),
        ("speed", "٣"),
        ("jitter", "1.01"),
        ("seed", "-1"),
        ("seed", "9007199254740992"),
        ("cut-byte", "-1"),
        ("cut-byte", "1.5"),
        ("cut-event", "last"),
        ("stall-seconds", "601"),
        ("split", "0"),
        ("split", "words"),
        ("glue", "1"),
        ("end-mark", "treble"),
        ("status", "200"),
        ("status", "600"),
        ("status-times", "0"),
        ("retry-after", "3601"),
        ("content-type", ""),
        ("content-type", "a\r\nset-cookie: b"),
        ("content-type", "ä"),
        ("drop-header", "a b"),
        ("drop-header", ""),
        ("add-header", "no colon"),
        ("add-header", ": x"),
        ("add-header", "Set-Cookie: a=b"),
        ("add-header", "Content-Length: 3"),
        ("add-header", "Transfer-Encoding: chunked"),
        ("add-header", "Connection: close"),
        ("add-header", "X-Inspector-Error: no"),
        ("add-header", "Clear-Site-Data: *"),
    ],
)
def test_a_value_out_of_bounds_is_refused_with_the_bounds(name: str, text: str) -> None:
    refused = asked((name, text))
    assert isinstance(refused, InvalidOption)
    assert (refused.name, refused.value) == (name, text)
    bounds = next(option.bounds for option in OPTIONS if option.name == name)
    assert refused.bounds == f"it may be {bounds}"


def test_a_refusal_is_one_sentence() -> None:
    refused = asked(("speed", "0.0001"))
    assert isinstance(refused, InvalidOption)
    assert refused.message == (
        "The option speed=0.0001 cannot be met: it may be 0, or from 0.25 to 16."
    )


def test_an_unknown_option_is_refused_with_all_that_there_are() -> None:
    refused = asked(("cut-evnt", "7"))
    assert isinstance(refused, InvalidOption)
    assert refused.bounds.startswith("there are speed, jitter, seed, cut-byte, cut-event, ")


def test_what_sdks_put_into_a_query_themselves_is_no_option() -> None:
    assert asked(("alt", "sse"), ("key", "k"), ("api-version", "1"), ("beta", "true")) == asked()


def test_options_that_a_client_moved_behind_its_own_query_count() -> None:
    found = asked(("alt", "sse;speed=0;cut-event=7"))
    assert found == ReplayOptions(speed=0.0, cut_event=7)
    assert isinstance(asked(("alt", "sse;explode=1")), InvalidOption)


def test_an_option_may_be_given_once() -> None:
    refused = asked(("speed", "1"), ("speed", "2"))
    assert refused == InvalidOption("speed", "2", "it may be given once")


def test_headers_may_be_added_and_dropped_several_at_a_time() -> None:
    found = asked(
        ("add-header", "a: 1"),
        ("add-header", "b: 2"),
        ("drop-header", "c"),
        ("drop-header", "d"),
    )
    assert isinstance(found, ReplayOptions)
    assert found.add_header == (("a", "1"), ("b", "2"))
    assert found.drop_header == ("c", "d")


def test_a_header_overrides_the_query_that_the_path_and_that_the_defaults() -> None:
    found = parse_options(
        query=[("speed", "2"), ("jitter", "0.2")],
        headers=[("X-Inspector-Replay-Speed", "3"), ("accept", "*/*")],
        path=[("speed", "4"), ("jitter", "0.4"), ("seed", "4")],
        defaults=ReplayOptions(seed=5, swap=5),
    )
    assert found == ReplayOptions(speed=3.0, jitter=0.2, seed=4, swap=5)


def test_an_unknown_header_of_ours_is_refused() -> None:
    refused = parse_options(headers=[("x-inspector-replay-sped", "3")])
    assert isinstance(refused, InvalidOption)
    assert refused.name == "sped"


def test_options_stand_behind_the_target_in_a_path() -> None:
    assert options_in_path("c-1;speed=0;add-header=a:%3B%20b") == (
        "c-1",
        (("speed", "0"), ("add-header", "a:; b")),
    )
    assert options_in_path("c-1") == ("c-1", ())
    assert options_in_path("c-1;") == ("c-1", ())
    assert options_in_path("c-1;speed") == ("c-1", (("speed", ""),))


@pytest.mark.parametrize(
    ("path", "without"),
    [
        ("/;speed=0/v1/messages", "/v1/messages"),
        ("/replay/c-1;speed=0/v1/messages", "/replay/c-1/v1/messages"),
        ("/v1/models/m:generateContent;speed=0", "/v1/models/m:generateContent"),
        ("/;speed=0", "/"),
        (";speed=0", "/"),
    ],
)
def test_options_are_taken_out_of_any_segment_of_a_path(path: str, without: str) -> None:
    assert path_without_options(path) == (without, (("speed", "0"),))


def test_a_path_without_options_stays_as_it_came() -> None:
    for path in ("/", "/v1//x/", "/a%3Bb/c", ""):
        assert path_without_options(path) == (path or "/", ())


@pytest.mark.parametrize(
    ("pairs", "name", "bounds"),
    [
        ((("cut-byte", "1"), ("cut-event", "1")), "cut-byte", "it excludes cut-event"),
        ((("cut-byte", "1"), ("cut-second", "1")), "cut-byte", "it excludes cut-second"),
        ((("cut-event", "1"), ("cut-second", "1")), "cut-event", "it excludes cut-second"),
        ((("stall-byte", "1"), ("stall-event", "1")), "stall-byte", "it excludes stall-event"),
        ((("split", "1"), ("glue", "2")), "split", "it excludes glue"),
        ((("swap", "1"), ("cut-event", "2")), "swap", "it excludes cut-event"),
        ((("swap", "1"), ("stall-event", "2")), "swap", "it excludes stall-event"),
        ((("stall-seconds", "1"),), "stall-seconds", "it needs stall-byte or stall-event"),
        ((("status-times", "1"),), "status-times", "it needs status"),
        ((("retry-after", "1"),), "retry-after", "it needs status"),
        (
            (("stall-byte", "1"), ("cut-byte", "2")),
            "cut-byte",
            "with a stall it needs stall-seconds",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    pairs: tuple[tuple[str, str], ...], name: str, bounds: str
) -> None:
    refused = asked(*pairs)
    assert isinstance(refused, InvalidOption)
    assert (refused.name, refused.bounds) == (name, bounds)


def test_a_contradiction_is_found_across_path_and_header() -> None:
    refused = parse_options(
        path=[("cut-byte", "1")], headers=[("x-inspector-replay-cut-event", "1")]
    )
    assert isinstance(refused, InvalidOption)


def test_every_option_has_a_field() -> None:
    assert {option.field for option in OPTIONS} == set(ReplayOptions.__struct_fields__)
