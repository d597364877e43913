"""The index follows its captures: found by their own team, changed, deleted, made anew."""

from uuid import UUID

import pytest

from inspector.archive.deletion import delete
from inspector.search import conditions, rebuilding, word_index
from inspector.search.models import CaptureTexts, IndexedPart
from inspector.work.run import run_one
from tests.people import Person
from tests.search.asked import body_of, captured, hits, told

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db]


def listed(person: Person, query: str) -> list[UUID]:
    answer = person.get(f"/api/v1/captures/?q={query}")
    assert answer.status == 200, answer.json
    return [UUID(row["id"]) for row in answer.json["captures"]]


def rebuild() -> None:
    for _ in range(10):
        if not run_one(rebuilding.KIND):
            return
    raise AssertionError("the index is not finished after ten steps")


def test_words_are_found_by_ones_team(owner: Person, teammate: Person, stranger: Person) -> None:
    [mine] = told(owner, "the marmalade arrived")
    [theirs] = told(stranger, "more marmalade")
    assert listed(owner, "marmalade") == listed(teammate, "marmalade") == [mine]
    assert listed(stranger, "marmalade") == [theirs]


@pytest.mark.parametrize("few", [0, 2, 1_000])
def test_common_words_are_found_like_rare_ones(
    owner: Person, stranger: Person, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions, "FEW_PARTS", few)
    [pears, quinces, both] = told(owner, "apples pears", "apples quinces", "pears quinces")
    told(stranger, "apples pears quinces")
    assert listed(owner, "apples") == [quinces, pears]
    assert listed(owner, "apples+pears") == [pears]
    assert listed(owner, "pears+-apples") == [both]
    assert listed(owner, "apples+or+pears") == [both, quinces, pears]
    assert listed(owner, '"quinces apples"') == []
    assert listed(owner, "pears&sort=arrival") == [pears, both]
    assert listed(owner, "pears&sort=-size") == [both, pears]


def test_every_kind_of_text_is_searched(owner: Person) -> None:
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}},
        {"id": "c2", "type": "function", "function": {"name": "pay", "arguments": '{"to":"Ulm"}'}},
    ]
    asked = {"model": "m", "messages": [{"role": "user", "content": "Is it raining?"}]}
    [capture_id] = captured(
        owner,
        body_of("Sunny", reasoning_content="It is July", refusal="never", tool_calls=calls),
        note="checked by hand",
        asked=asked,
    )
    for word in ("sunny", "july", "never", "weather", "ulm", "raining", "checked", "orca"):
        assert hits(owner, word) == {capture_id}, word


def test_a_deleted_capture_has_no_words_left(owner: Person) -> None:
    [gone, kept] = told(owner, "apples and quinces", "apples and pears")
    delete(owner.principal, gone)
    assert hits(owner, "apples") == {kept}
    assert hits(owner, "quinces") == set()
    assert not IndexedPart.objects.filter(capture=gone).exists()
    assert not CaptureTexts.objects.filter(pk=gone).exists()


def test_what_was_deleted_is_merged_out_of_the_index(owner: Person) -> None:
    [gone, kept] = told(owner, "apples and quinces", "apples and pears")
    delete(owner.principal, gone)
    steps = 0
    while word_index.erase_step():
        steps += 1
        assert steps < 20
    assert hits(owner, "apples") == {kept}


def test_a_changed_note_is_found_and_the_former_one_is_not(owner: Person) -> None:
    [capture_id] = captured(owner, body_of("Hello"), note="ask the bank")
    body = b'{"note":"ask the courier"}'
    answer = owner.ask("PATCH", f"/api/v1/captures/{capture_id}/", body, "application/json")
    assert answer.status == 200
    assert hits(owner, "courier") == {capture_id}
    assert hits(owner, "bank") == set()
    assert hits(owner, "hello") == {capture_id}


def test_an_index_that_is_not_there_is_made_of_what_is_stored(owner: Person) -> None:
    [capture_id] = captured(owner, body_of("a parcel"), note="urgent")
    word_index.remove([capture_id])
    CaptureTexts.objects.all().delete()
    assert hits(owner, "parcel") == set()
    rebuilding.queue_all()
    rebuild()
    assert hits(owner, "parcel") == hits(owner, "urgent") == {capture_id}


def test_an_older_tokenizers_words_are_cut(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    [capture_id] = told(owner, "a parcel")
    word_index.remove([capture_id])
    assert not run_one(rebuilding.KIND)
    monkeypatch.setattr(rebuilding, "WORDS_VERSION", rebuilding.WORDS_VERSION + 1)
    rebuild()
    assert hits(owner, "parcel") == {capture_id}
    assert not run_one(rebuilding.KIND)


@pytest.mark.parametrize(
    "text",
    ["!?,;", "\0", "'", '"', "*", "\\", ":*", "a'b\"c", "(", "NEAR(a b)", "a AND b", "tokens:a"],
)
def test_signs_are_no_language_of_the_database(owner: Person, text: str) -> None:
    told(owner, "something else")
    for is_phrase in (False, True):
        assert hits(owner, text, is_phrase=is_phrase) == set()


@pytest.mark.parametrize(
    "text", ["x" * 10_000, "word " * 1_000, "天" * 10_000, "a_b" * 3_000, "é" * 10_000 + "*"]
)
def test_a_very_long_text_is_cut_and_finds_nothing(owner: Person, text: str) -> None:
    told(owner, "something else")
    for is_phrase in (False, True):
        assert hits(owner, text, is_phrase=is_phrase) == set()


@pytest.mark.parametrize("query", ["x" * 10_000, "a+" * 1_000, "(" * 200 + "a", "%00", "%ED%A0%80"])
def test_the_api_tells_what_is_too_long_or_no_text(owner: Person, query: str) -> None:
    assert owner.get(f"/api/v1/captures/?q={query}").status in (200, 422)
