"""Which recorded answer a request gets."""

from __future__ import annotations

import pytest

from inspector.replay.matching import Match, MatchKind, Miss, RequestFacts, choose, operation_of

CHAT = "/v1/chat/completions"


def facts(**known: object) -> RequestFacts:
    return RequestFacts(**known)  # type: ignore[arg-type]


def test_the_same_prompt_is_found_whatever_the_model() -> None:
    asked = facts(path=CHAT, model="m", prompt_sha256="a")
    known = [
        facts(path=CHAT, model="m", prompt_sha256="b"),
        facts(path=CHAT, model="n", prompt_sha256="a"),
    ]
    assert choose(asked, known) == Match(MatchKind.PROMPT, (1,))


def test_of_equal_prompts_those_of_the_same_model_and_path_are_taken() -> None:
    asked = facts(path=CHAT, model="m", prompt_sha256="a")
    known = [
        facts(path=CHAT, model="n", prompt_sha256="a"),
        facts(path="/v1/responses", model="m", prompt_sha256="a"),
        facts(path=CHAT, model="m", prompt_sha256="a"),
    ]
    assert choose(asked, known) == Match(MatchKind.PROMPT, (2,))


def test_without_the_same_prompt_model_and_path_decide() -> None:
    asked = facts(path=CHAT, model="m", prompt_sha256="a")
    known = [
        facts(path=CHAT, model="n", prompt_sha256="b"),
        facts(path=CHAT, model="m", prompt_sha256="c"),
    ]
    assert choose(asked, known) == Match(MatchKind.MODEL, (1,))


def test_answers_without_a_request_are_taken_in_order() -> None:
    asked = facts(path=CHAT, model="m", prompt_sha256="a")
    found = choose(asked, [facts(), facts(), facts(path=CHAT, model="n")])
    assert found == Match(MatchKind.ORDER, (0, 1))
    assert isinstance(found, Match)
    assert [found.at_turn(turn) for turn in range(5)] == [0, 1, 0, 1, 0]


def test_requests_without_prompts_are_not_the_same() -> None:
    asked = facts(path="/v1/models")
    assert choose(asked, [facts(path=CHAT, model="m")]) == Miss(0, ("path",))


@pytest.mark.parametrize(("is_streamed", "number"), [(True, 0), (False, 1), (None, 1)])
def test_an_answer_that_is_streamed_as_wanted_is_taken(
    is_streamed: bool | None, number: int
) -> None:
    asked = facts(path=CHAT, model="m", prompt_sha256="a", is_streamed=is_streamed)
    known = [
        facts(path=CHAT, model="m", prompt_sha256="a", is_streamed=True),
        facts(path=CHAT, model="m", prompt_sha256="a", is_streamed=False),
    ]
    assert choose(asked, known) == Match(MatchKind.PROMPT, (number,))


def test_streamed_or_not_is_no_reason_for_a_miss() -> None:
    asked = facts(path=CHAT, model="m", is_streamed=True)
    known = [facts(path=CHAT, model="m", is_streamed=False)]
    assert choose(asked, known) == Match(MatchKind.MODEL, (0,))


def test_a_miss_names_what_is_nearest_and_what_differs() -> None:
    asked = facts(path=CHAT, model="m")
    known = [
        facts(path="/v1/embeddings", model="m"),
        facts(path=CHAT, model="n"),
        facts(path="/v1/embeddings", model="n"),
    ]
    assert choose(asked, known) == Miss(1, ("model",))
    assert choose(asked, known[:1]) == Miss(0, ("path",))
    assert choose(asked, known[2:]) == Miss(0, ("path", "model"))


def test_where_there_is_nothing_nothing_is_near() -> None:
    assert choose(facts(path=CHAT), []) == Miss(None, ())


@pytest.mark.parametrize(
    ("path", "operation"),
    [
        ("/v1/chat/completions", "/chat/completions"),
        ("/chat/completions", "/chat/completions"),
        ("/openai/v1/chat/completions/", "/chat/completions"),
        ("/v1/completions", "/completions"),
        ("/v1beta/models/m:streamGenerateContent", "/models/m:streamGenerateContent"),
        ("/v1/models/v2-large", "/models/v2-large"),
        ("/api/chat", "/api/chat"),
        ("/model/a.claude-v2/converse", "/model/a.claude-v2/converse"),
        ("/v1", "/"),
        ("", "/"),
    ],
)
def test_paths_are_compared_without_the_base_that_they_stand_below(
    path: str, operation: str
) -> None:
    assert operation_of(path) == operation
