"""Redaction sees what a person sees: however a value or a name is spelt, it is found."""

import json

import pytest

from inspector.core.redaction.body_masking import masked_body
from inspector.core.redaction.json_paths import PathFault, parse_json_path
from inspector.core.redaction.legible_text import legible
from inspector.core.redaction.mask_rules import RuleSet
from inspector.core.redaction_mark import MaskKind, MaskRule, Preset
from tests.core.redaction.cases import LED_TO, PASSED_OVER, SPELT
from tests.core.redaction.test_presets import found_by

PRESETS = RuleSet([MaskRule(at, MaskKind.PRESET, each) for at, each in enumerate(Preset)])


def path(text: str) -> RuleSet:
    return RuleSet([MaskRule(1, MaskKind.PATH, text)])


def test_a_preset_finds_any_spelling_and_nothing_beside_it(subtests: pytest.Subtests) -> None:
    for case in SPELT:
        with subtests.test(preset=case.preset, text=case.text):
            assert found_by(case.preset, case.text) == case.found


@pytest.mark.parametrize("is_ascii", [True, False], ids=["escaped", "as_it_is"])
def test_a_spelt_value_in_json_is_overwritten(is_ascii: bool, subtests: pytest.Subtests) -> None:
    for case in SPELT:
        for value in case.found:
            with subtests.test(text=case.text):
                body = json.dumps({"content": case.text}, ensure_ascii=is_ascii).encode()
                masked = masked_body(body, PRESETS).body
                assert len(masked) == len(body)
                assert value not in json.loads(masked)["content"]


def test_a_path_leads_to_a_member_however_its_name_is_written(subtests: pytest.Subtests) -> None:
    for rule, name in LED_TO:
        with subtests.test(path=rule, name=name):
            body = f'{{"{name}": "nightjar"}}'.encode()
            assert masked_body(body, path(rule)).body == body.replace(b"nightjar", b"********")


def test_a_path_passes_over_members_with_other_names(subtests: pytest.Subtests) -> None:
    for rule, name in PASSED_OVER:
        with subtests.test(path=rule, name=name):
            body = f'{{"{name}": "nightjar"}}'.encode()
            assert masked_body(body, path(rule)).body == body


def test_a_path_leads_into_arguments_whose_names_are_escaped_twice() -> None:
    body = json.dumps({"arguments": json.dumps({"größe": "nightjar"})}).encode()
    assert masked_body(body, path("**.größe")).body == body.replace(b"nightjar", b"********")


def test_a_path_with_an_escape_is_refused_for_it_would_never_hold() -> None:
    assert parse_json_path(r"**.gr\u00f6\u00dfe") is PathFault.NO_PATH


def test_a_word_is_found_in_any_spelling() -> None:
    rules = RuleSet([MaskRule(1, MaskKind.WORD, "Nachtschwälbe")])
    body = "eine ＮＡＣＨＴschwa\u0308lbe, eine nacht\u00adschwälbe".encode()
    masked = masked_body(body, rules)
    assert len(masked.passages) == 2
    assert masked.body.decode() == f"eine {'*' * 25}, eine {'*' * 16}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_body_in_wide_characters_is_overwritten_in_its_own_units(encoding: str) -> None:
    text = '{"content": "größe 🔑 billing@example.com, 4111 1111 1111 1111", "n": 4111111111111111}'
    masked = masked_body(text.encode(encoding), PRESETS)
    wanted = text.replace("billing@example.com", "*" * 19)
    wanted = wanted.replace("4111 1111 1111 1111", "*" * 19).replace("4111111111111111", "1" * 16)
    assert masked.body == wanted.encode(encoding)
    assert len(masked.passages) == 3


def test_a_cut_body_in_wide_characters_is_overwritten_up_to_the_cut() -> None:
    body = '{"content": "billing@example.com and mo'.encode("utf-16-le")
    masked = masked_body(body[:-1], PRESETS).body
    assert masked == body.replace("billing@example.com".encode("utf-16-le"), b"*\0" * 19)[:-1]


def test_half_a_character_pair_in_wide_characters_is_no_end() -> None:
    body = '{"content": "\ud83d billing@example.com"}'.encode("utf-16-le", "surrogatepass")
    assert "billing".encode("utf-16-le") not in masked_body(body, PRESETS).body


def test_a_folded_text_leads_back_to_the_characters_it_was_made_of() -> None:
    text = "a ﬁ e\u0301 \u200b٤١ z"
    read = legible(text)
    assert read.text == "a fi é 41 z"
    assert [text[slice(*read.in_source(at, at + 1))] for at in range(len(read.text))] == [
        "a", " ", "ﬁ", "ﬁ", " ", "e\u0301", " ", "٤", "١", " ", "z",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["é", "中", "\u200b", "e\u0301", "ﬁ", "٤", "\u0301"])
def test_folding_takes_as_many_pieces_as_there_are_characters_at_most(text: str) -> None:
    assert len(legible(text * 10_000).starts) <= len(text) * 10_000
