"""Rules are made, switched and removed by admins, tried on what is stored, and noted."""

import gzip
from typing import Any

import pytest

from inspector.archive import redaction_dry_run, redaction_rules
from inspector.archive.models import Evidence
from inspector.archive.queries import Captures
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.redaction_dry_run import MAX_BYTES, dry_run
from inspector.archive.redaction_rules import RedactionRefusal, RedactionRuleStatus
from inspector.core.redaction.json_paths import PathFault
from inspector.core.redaction.own_words import WordFault
from inspector.core.redaction.rule_fault import PresetFault, RuleFault
from inspector.core.redaction_mark import MaskKind
from inspector.database.portability import StatementTimeout
from inspector.teams.access import DELETE, INGEST, READ, for_key
from inspector.teams.keys import create_api_key
from inspector.teams.models import AuditEntry
from tests.archive.samples import CUT, WHOLE, accept, conditions
from tests.people import Person

MAIL = WHOLE.replace(b"Hello", b"Hello a@example.com")


def added(person: Person, kind: MaskKind, text: str) -> RedactionRuleStatus:
    rule = redaction_rules.add_redaction_rule(person.principal, kind, text)
    assert isinstance(rule, RedactionRuleStatus)
    return rule


def test_a_rule_is_added_switched_off_and_every_act_is_noted(owner: Person) -> None:
    rule = added(owner, MaskKind.WORD, "Nightjar")
    assert not rule.is_on
    redaction_rules.turn_redaction_rule(owner.principal, rule.id, on=True)
    redaction_rules.turn_redaction_rule(owner.principal, rule.id, on=True)
    redaction_rules.turn_redaction_rule(owner.principal, rule.id, on=False)
    redaction_rules.remove_redaction_rule(owner.principal, rule.id)
    noted = AuditEntry.objects.filter(act__startswith="redaction").order_by("pk")
    assert [(entry.act, entry.on) for entry in noted] == [
        ("redaction_added", f"{rule.id}: word"),
        ("redaction_on", f"{rule.id}: word"),
        ("redaction_off", f"{rule.id}: word"),
        ("redaction_removed", f"{rule.id}: word"),
    ]
    assert redaction_rules.redaction_rules(owner.principal) == ()


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        (MaskKind.WORD, "(a+)+$", WordFault.EXPRESSION),
        (MaskKind.WORD, "a", WordFault.SHORT),
        (MaskKind.PATH, "a[?(@)]", PathFault.NO_PATH),
        (MaskKind.PRESET, "passport", PresetFault.UNKNOWN),
    ],
)
def test_what_is_no_rule_is_refused_with_the_reason(
    owner: Person, kind: MaskKind, text: str, fault: RuleFault
) -> None:
    assert redaction_rules.add_redaction_rule(owner.principal, kind, text) is fault


def test_a_rule_is_added_once(owner: Person) -> None:
    added(owner, MaskKind.PRESET, "email")
    again = redaction_rules.add_redaction_rule(owner.principal, MaskKind.PRESET, "email")
    assert again is RedactionRefusal.KNOWN


def test_words_are_told_to_people_and_to_keys_of_rules(owner: Person, teammate: Person) -> None:
    added(owner, MaskKind.PRESET, "email")
    added(owner, MaskKind.PATH, "**.password")
    added(owner, MaskKind.WORD, "Nightjar")
    reading = for_key(create_api_key(owner.team, "reading", [INGEST, READ]))
    assert reading is not None
    told = {
        who: [rule.text for rule in redaction_rules.redaction_rules(who)]
        for who in (teammate.principal, owner.service, reading)
    }
    whole = ["email", "**.password", "Nightjar"]
    assert told == {
        teammate.principal: whole,
        owner.service: whole,
        reading: ["email", "**.password", None],
    }
    word = redaction_rules.redaction_rules(owner.principal)[-1].id
    one = redaction_rules.redaction_rule(reading, word)
    assert one is not None and (one.kind, one.text) == ("word", None)


def test_a_key_that_deletes_changes_rules_as_an_admin_does(owner: Person) -> None:
    deleting = for_key(create_api_key(owner.team, "deleting", [DELETE]))
    assert deleting is not None
    rule = redaction_rules.add_redaction_rule(deleting, MaskKind.WORD, "Nightjar")
    assert isinstance(rule, RedactionRuleStatus) and rule.text == "Nightjar"
    on = redaction_rules.turn_redaction_rule(deleting, rule.id, on=True)
    assert on is not None and on.is_on
    assert dry_run(deleting, (), conditions()) is None
    assert redaction_rules.remove_redaction_rule(deleting, rule.id) == on


def test_members_see_rules_strangers_not(owner: Person, teammate: Person, stranger: Person) -> None:
    rule = added(owner, MaskKind.PRESET, "email")
    assert redaction_rules.redaction_rules(teammate.principal) == (rule,)
    assert redaction_rules.redaction_rules(stranger.principal) == ()
    for other in (teammate, stranger):
        assert not redaction_rules.turn_redaction_rule(other.principal, rule.id, on=True)
        assert not redaction_rules.remove_redaction_rule(other.principal, rule.id)
        assert redaction_rules.rules_to_apply(other.principal, [rule.id]) == ()
    refused = redaction_rules.add_redaction_rule(teammate.principal, MaskKind.PRESET, "card")
    assert refused is RedactionRefusal.FORBIDDEN


# -- dry run --------------------------------------------------------------------------------------


def test_a_dry_run_shows_what_would_be_hit_and_changes_nothing(owner: Person) -> None:
    rule = added(owner, MaskKind.PRESET, "email")
    accept(owner)
    hit = accept(owner, MAIL)
    rules = redaction_rules.rules_to_apply(owner.principal, None)
    found = dry_run(owner.principal, rules, conditions())
    assert found is not None
    assert (found.looked_at, found.captures, found.is_all) == (2, 1, True)
    assert found.places == {rule.id: 1}
    [one] = found.hits
    assert (one.capture, one.rule, one.is_request, one.text) == (
        hit,
        rule.id,
        False,
        "a@example.com",
    )
    assert one.byte == MAIL.index(b"a@example.com")
    again = dry_run(owner.principal, rules, conditions())
    assert again == found


@pytest.mark.both_stacks
def test_a_dry_run_looks_at_its_query_alone(owner: Person) -> None:
    added(owner, MaskKind.PRESET, "email")
    accept(owner, MAIL)
    rules = redaction_rules.rules_to_apply(owner.principal, None)
    found = dry_run(owner.principal, rules, conditions("size>1MB"))
    assert found is not None and found.looked_at == 0


def test_a_small_body_that_decompresses_to_a_large_one_is_too_large(owner: Person) -> None:
    added(owner, MaskKind.PRESET, "email")
    accept(owner, gzip.compress(b"a" * (MAX_BYTES + 1)))
    accept(owner, gzip.compress(MAIL))
    rules = redaction_rules.rules_to_apply(owner.principal, None)
    found = dry_run(owner.principal, rules, conditions())
    assert found is not None and (found.looked_at, found.too_large) == (2, 1)
    assert found.captures == 1


def test_captures_without_evidence_take_no_longer_than_others(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(owner)
    Evidence.objects.all().delete()
    for seconds, is_all in ((4.0, True), (0.0, False)):
        monkeypatch.setattr(redaction_dry_run, "SECONDS", seconds)
        found = dry_run(owner.principal, (), conditions())
        assert found is not None and (found.looked_at, found.is_all) == (0, is_all)


def test_a_slow_query_ends_the_dry_run(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    accept(owner)

    def too_long(*_: object) -> None:
        raise StatementTimeout

    monkeypatch.setattr(Captures, "ids_before", too_long)
    found = dry_run(owner.principal, (), conditions("hello"))
    assert found is not None and (found.looked_at, found.is_all) == (0, False)


def test_a_dry_run_counts_as_reading(owner: Person, settings: Any) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    accept(owner)
    assert dry_run(owner.principal, (), conditions()) is not None
    with pytest.raises(ReadingError) as refused:
        dry_run(owner.principal, (), conditions())
    assert refused.value.cause is ReadingErrorCause.TOO_MUCH


def test_only_the_team_gets_a_dry_run(owner: Person, teammate: Person, stranger: Person) -> None:
    added(owner, MaskKind.PRESET, "email")
    accept(owner, MAIL)
    rules = redaction_rules.rules_to_apply(owner.principal, None)
    assert dry_run(teammate.principal, rules, conditions()) is None
    theirs = dry_run(stranger.principal, rules, conditions())
    assert theirs is not None and theirs.looked_at == 0


def test_a_broken_response_is_searched_like_any_other(owner: Person) -> None:
    added(owner, MaskKind.WORD, "gpt-4o")
    accept(owner, CUT)
    found = dry_run(
        owner.principal, redaction_rules.rules_to_apply(owner.principal, None), conditions()
    )
    assert found is not None and found.captures == 1
