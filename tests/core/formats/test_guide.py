"""``docs/a-format-in-an-hour.md``: its example is read, as it stands there."""

import re
from collections.abc import Iterator

import msgspec
import pytest
from django.conf import settings

from inspector.core import formats
from inspector.core.analysis import Verdict
from inspector.core.completion import Result
from inspector.core.fields import finish_reasons
from inspector.core.formats import Dialect
from tests.core.bodies import analysis, codes, exchange
from tests.core.formats.recordings import (
    assert_cuttings_agree,
    assert_every_character_has_bytes,
    only_choice,
    texts,
)

PAGE = settings.BASE_DIR / "docs" / "a-format-in-an-hour.md"
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```\n", PAGE.read_text(), re.DOTALL))
WHOLE, STREAM = FILES["whole.json"].encode(), FILES["stream.sse"].encode()
FAULT = FILES["fault.sse"].encode()
UNCLOSED = STREAM.partition(b'data: {"event":"close"')[0]
REMEMBERED = (formats._beginnings, finish_reasons.finish_meanings, finish_reasons._folded_meanings)
"""Functions that remember something of all formats, which is not to include the page's."""


BUILT_IN = formats.dialects


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The format of the page, beside all others."""
    known_beside_others(FILES["example_chat.py"], monkeypatch)
    yield
    for remembered in REMEMBERED:
        remembered.cache_clear()


def known_beside_others(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module: dict[str, object] = {}
    exec(source, module)
    dialect = module["DIALECT"]
    assert isinstance(dialect, Dialect)
    known = {**BUILT_IN(), dialect.slug: dialect}
    monkeypatch.setattr(formats, "dialects", lambda: known)
    for remembered in REMEMBERED:
        remembered.cache_clear()


@pytest.mark.parametrize("body", [WHOLE, STREAM])
def test_the_example_is_read_without_a_finding(body: bytes) -> None:
    result = analysis(body)
    assert (result.dialect, result.verdict) == ("example-chat", Verdict.COMPLETE)
    assert (result.result, codes(result), result.extras) == (Result.CALLED, set(), {})
    (call,) = only_choice(result).tool_calls
    assert (call.id, call.name, call.arguments_text) == ("c1", "weather", '{"town":"Chur"}')
    assert texts(result) == [("text", "I will ask."), ("tool-call", '{"town":"Chur"}')]
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (9, 5)


def test_the_stream_builds_the_whole_answer() -> None:
    assert analysis(STREAM).completion == msgspec.json.decode(WHOLE)


@pytest.mark.parametrize("body", [WHOLE, STREAM])
def test_the_example_keeps_what_holds_of_every_format(body: bytes) -> None:
    assert_cuttings_agree(body)
    assert_every_character_has_bytes(exchange(body))


def test_a_stream_that_was_not_closed_is_cut() -> None:
    assert analysis(UNCLOSED).verdict is Verdict.CUT_OFF


@pytest.mark.parametrize(
    ("reason", "result"), [(b"done", Result.ANSWERED), (b"length", Result.TRUNCATED)]
)
def test_its_finish_reasons_mean_what_its_file_says(reason: bytes, result: Result) -> None:
    said = b'{"reply_id":"r1","speaker":"model","parts":[{"kind":"say","text":"Hi"}],"ended":"%s"}'
    found = analysis(said % reason)
    assert found.result is result


def test_a_call_whose_beginning_was_lost_is_told_and_kept() -> None:
    lost = STREAM.replace(b'data: {"event":"part","at":1,', b'data: {"event":"ping","at":1,')
    result = analysis(lost)
    assert "block.not-begun" in codes(result)
    assert texts(result) == [("text", "I will ask."), ("tool-call", '{"town":"Chur"}')]


def test_an_error_in_a_stream_is_the_verdict_and_the_stream_is_still_of_its_format() -> None:
    result = analysis(UNCLOSED + FAULT)
    assert (result.dialect, result.verdict) == ("example-chat", Verdict.PROVIDER_ERROR)
    assert "The model is overloaded." in result.verdict_reason
    assert result.extras == {}


def test_an_error_event_may_be_a_text() -> None:
    result = analysis(UNCLOSED + b'data: {"event":"fault","error":"overloaded"}\n\n')
    assert (result.dialect, result.verdict) == ("example-chat", Verdict.PROVIDER_ERROR)


def test_an_error_in_place_of_a_stream_is_a_provider_error() -> None:
    result = analysis(FAULT)
    assert (result.dialect, result.verdict) == ("provider-error", Verdict.PROVIDER_ERROR)


def test_a_whole_answer_with_an_error_is_of_its_format() -> None:
    result = analysis(WHOLE.replace(b"{", b'{"error":{"message":"late"},', 1))
    assert (result.dialect, result.verdict) == ("example-chat", Verdict.PROVIDER_ERROR)


def test_an_event_after_the_closing_one_is_told() -> None:
    more = b'data: {"event":"piece","at":0,"text":"!"}\n\n'
    assert "ending.event-after-end-mark" in codes(analysis(STREAM + more))


def test_what_names_the_answer_may_stand_inside_a_member(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its place is that of the table, in the answer that a stream builds, too."""
    inside = FILES["example_chat.py"].replace('slug="example-chat"', 'slug="example-inside"')
    inside = inside.replace(
        '"/reply_id": effects.IdentityField(),',
        '"/of": effects.BlockObject(), "/of/reply_id": effects.IdentityField(),',
    )
    inside = inside.replace('WHOLE = frozenset({"reply_id", ', 'WHOLE = frozenset({"of", ')
    inside = inside.replace('frozenset({"reply_id", "speaker"', 'frozenset({"of", "speaker"')
    known_beside_others(inside, monkeypatch)
    whole, stream = (
        each.replace(b'"reply_id":"r1"', b'"of":{"reply_id":"r1"}') for each in (WHOLE, STREAM)
    )
    assert analysis(stream).completion == msgspec.json.decode(whole)
    for body in (whole, stream):
        result = analysis(body)
        assert (result.dialect, result.identity.id, result.extras) == ("example-inside", "r1", {})


def test_the_page_is_linked_where_formats_are_spoken_of() -> None:
    link = "a-format-in-an-hour.md)"
    for place in ("README.md", "CONTRIBUTING.md", "docs/architecture.md"):
        assert link in (settings.BASE_DIR / place).read_text(), place


OTHER_NAMES = (
    (
        'At("open", "/reply"): effects.Put("", begins=True)',
        'At("open", "/nr"): effects.Put("/reply_id", begins=True)',
    ),
    ('At("close", "/ended"): effects.Put("/ended")', 'At("close", "/why"): effects.Put("/ended")'),
    ('At("close", "/cost"): effects.Put("/cost")', 'At("close", "/spent"): effects.Put("/cost")'),
)
EVENT_AS_FIELD = (
    ('At("close", "/cost"): effects.Put("/cost")', 'At("tally", ""): effects.Put("/cost")'),
    ('"shut", "close"}', '"shut", "close", "tally"}'),
)


def know_variant(
    slug: str, changes: tuple[tuple[str, str], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's format with other lines, under a slug of its own: tables are compiled once."""
    source = FILES["example_chat.py"]
    for before, after in (*changes, ('slug="example-chat"', f'slug="{slug}"')):
        assert before in source
        source = source.replace(before, after)
    known_beside_others(source, monkeypatch)


def test_a_field_is_named_by_its_place_not_its_event(monkeypatch: pytest.MonkeyPatch) -> None:
    know_variant("renaming-chat", OTHER_NAMES, monkeypatch)
    stream = STREAM.replace(b'"ended":', b'"why":').replace(b'"cost":', b'"spent":')
    begun = b'"reply":{"reply_id":"r1","speaker":"model","parts":[]}'
    result = analysis(stream.replace(begun, b'"nr":"r1"'))
    completion = result.completion
    assert isinstance(completion, dict)
    assert (completion["reply_id"], completion["ended"]) == ("r1", "called")
    assert completion["cost"] == {"read": 9, "written": 5}
    assert not {"nr", "why", "spent"} & completion.keys()
    assert (result.identity.id, result.extras, result.usage.prompt_tokens) == ("r1", {}, 9)
    assert result.choices[0].finish_reason == "called"


def test_an_event_may_be_a_field_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    know_variant("tallying-chat", EVENT_AS_FIELD, monkeypatch)
    tally = b'data: {"event":"tally","read":9,"written":5}\n\ndata: {"event":"close"'
    stream = STREAM.replace(b',"cost":{"read":9,"written":5}', b"")
    result = analysis(stream.replace(b'data: {"event":"close"', tally))
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (9, 5)
    assert isinstance(result.completion, dict) and "cost" in result.completion
