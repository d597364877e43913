import json
from typing import Any

import pytest

from inspector.archive.deletion import delete
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange
from inspector.usage.models import FieldSet, UsageSum
from inspector.usage.rollup import field_sets
from inspector.usage.rollup.field_paths import MAX_PATHS, OTHER_FIELDS, field_paths_of, paths_of
from tests.archive.samples import CUT, SSE, STREAM, WHOLE, inspected
from tests.people import Person


def test_keys_are_paths_without_indices() -> None:
    answer = {"choices": [{"message": {"content": "a"}}, {"message": {"refusal": None}}], "a/b~": 1}
    assert paths_of(answer) == (
        "/a~1b~0",
        "/choices",
        "/choices/message",
        "/choices/message/content",
        "/choices/message/refusal",
    )


@pytest.mark.parametrize("name", ["arguments", "metadata", "logprobs", "input"])
def test_keys_that_the_asker_chose_are_not_looked_at(name: str) -> None:
    assert paths_of({"choices": [{name: {"secret": {"a": 1}}}]}) == ("/choices", f"/choices/{name}")


@pytest.mark.parametrize(
    "hostile",
    [
        {str(number): 1 for number in range(MAX_PATHS + 1)},
        {"a": [{"b": 1}] * 20_001},
        {"a": [[]] * 10**6},
        {f"{number}{'x' * 90}": {f"{n}{'y' * 90}": 1 for n in range(5)} for number in range(39)},
    ],
    ids=["many keys", "many objects", "many lists", "long keys"],
)
def test_what_has_too_many_keys_is_not_told_apart(hostile: dict[str, Any]) -> None:
    assert paths_of(hostile) is None


def test_a_deep_answer_is_told_down_to_a_depth() -> None:
    deep: dict[str, Any] = {}
    for _ in range(60):
        deep = {"k" * 5_000: deep}
    told = paths_of(deep)
    assert told is not None and len(told) == 7 and max(map(len, told)) < 500


def test_a_stream_has_the_keys_of_what_it_says_as_a_whole() -> None:
    chunk = b'"delta":{"content":"lo","reasoning_content":"hm"}'
    body = STREAM.replace(b'"delta":{"content":"lo"}', chunk)
    told = field_paths_of(analyze(Exchange.of_body(body, SSE)))
    assert told is not None and told.streamed and told.paths is not None
    assert "/choices/message/reasoning_content" in told.paths
    assert not any("delta" in path for path in told.paths)


@pytest.mark.parametrize("body", [CUT, b"nothing", STREAM[:-14], b'{"error":{"message":"no"}}'])
def test_an_answer_that_is_not_complete_tells_no_keys(body: bytes) -> None:
    assert field_paths_of(analyze(Exchange.of_body(body))) is None


def field_sets_counted() -> set[str]:
    return set(UsageSum.objects.filter(measure="fields").values_list("value", flat=True))


def test_one_set_is_stored_once_for_each_team(owner: Person, stranger: Person) -> None:
    for person in (owner, owner, stranger):
        inspected(person)
    assert FieldSet.objects.count() == 2
    assert len(field_sets_counted()) == 1
    paths = FieldSet.objects.filter(team=owner.team).get().paths
    assert "/usage/prompt_tokens_details/cached_tokens" in paths


def test_names_that_one_capture_alone_had_go_with_it(owner: Person) -> None:
    secret = inspected(owner, WHOLE.replace(b'"index":0', b'"index":0,"CANARY":1'))
    inspected(owner)
    assert "CANARY" in repr(list(FieldSet.objects.values_list("paths")))
    delete(owner.principal, secret)
    assert "CANARY" not in repr(list(FieldSet.objects.values_list("paths")))
    assert FieldSet.objects.count() == len(field_sets_counted()) == 1


def test_ever_new_keys_add_no_rows(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_sets, "MAX_NEW_A_DAY", 3)
    for number in range(9):
        inspected(owner, WHOLE.replace(b'"index":0', b'"index":0,"x%d":1' % number))
    inspected(owner, WHOLE.replace(b'"index":0', b'"index":0,"x1":1'))
    assert FieldSet.objects.count() == 3
    assert len(field_sets_counted()) == 4
    assert UsageSum.objects.get(measure="fields", value=OTHER_FIELDS).captures == 6


@pytest.mark.parametrize("key", ["\u0000", "\ud800", "\u202e", "模型", "<script>", "k" * 5_000, ""])
def test_hostile_keys_are_stored_as_text(owner: Person, key: str) -> None:
    body = json.dumps({**json.loads(WHOLE), key: 1}).encode()
    inspected(owner, body)
    (stored,) = FieldSet.objects.values_list("paths", flat=True)
    assert len(stored) == 17, stored
