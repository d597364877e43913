from inspector.archive.models import Capture
from tests.archive.samples import CUT, WHOLE
from tests.people import Person

INSPECT = "/api/v1/inspect/"


def test_an_analysis_is_given_and_nothing_is_stored(owner: Person) -> None:
    analysis = owner.post(INSPECT, WHOLE).json["analysis"]
    assert (analysis["verdict"], analysis["choices"][0]["content"]) == ("complete", "Hello")
    assert analysis["completion"]["id"] == "chatcmpl-1"
    assert not Capture.objects.exists()


def test_a_broken_body_is_analysed_like_any_other(owner: Person) -> None:
    analysis = owner.post(INSPECT, CUT).json["analysis"]
    assert analysis["verdict"] == "cut-off"


def test_usage_is_answered_as_a_ledger_too(owner: Person) -> None:
    usage = b'"usage":{"prompt_tokens":9,"completion_tokens":null,"total_tokens":21}'
    body = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"a"},"cost_usd":0.10}],%s}'
    ledger = owner.post(INSPECT, body % usage).json["ledger"]
    prompt, completion = ledger["total"]["parts"][:2]
    assert (prompt["count"], prompt["pointer"]) == (9, "/usage/prompt_tokens")
    assert completion["count"] is None
    assert "count" not in prompt["parts"][0]
    assert (ledger["lines"][0]["left_text"], ledger["lines"][0]["outcome"]) == (
        "9 prompt + completion", "undecidable",
    )  # fmt: skip
    assert [cost["amount"] for cost in ledger["costs"]] == ["0.10"]


def test_a_dialect_may_be_chosen(owner: Person) -> None:
    analysis = owner.post(f"{INSPECT}?dialect=openai-text", WHOLE).json["analysis"]
    assert analysis["dialect"] == "openai-text"


def test_the_bounds_are_those_of_captures(owner: Person) -> None:
    assert owner.post(INSPECT, b"").code == "length_required"
    assert owner.post(INSPECT, b"{}", "multipart/form-data").code == "form_encoded"
    assert owner.post(f"{INSPECT}?tag=a", WHOLE).code == "unknown_parameter"
    assert owner.post(INSPECT, b"{}", "application/vnd.inspector.exchange+json").status == 422
    assert owner.get(INSPECT).status == 405


def test_odd_text_is_answered_in_valid_json(owner: Person) -> None:
    answer = owner.post(INSPECT, WHOLE.replace(b"Hello", rb"\ud800 \u0000 \u00e9"))
    assert answer.body.isascii()
    assert answer.json["analysis"]["choices"][0]["content"].endswith(" \0 é")
