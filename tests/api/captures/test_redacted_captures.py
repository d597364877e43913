"""Wherever a redacted capture is told of, it is told that it is redacted."""

import json

import pytest

from inspector.archive import redaction_rules
from inspector.archive.background import bulk_jobs, bulk_steps
from inspector.archive.intake.envelope import envelope_line, parse_envelope
from inspector.archive.intake.imports import store_imported
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import Capture
from inspector.archive.queries import Captures
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.archive.storage import evidence
from inspector.core.redaction_mark import MaskKind
from inspector.transfer.exports import exports, steps
from inspector.transfer.exports.exports import ExportStatus
from inspector.transfer.fixtures.source import removal_line
from inspector.work.run import run_one
from tests.archive.samples import JSON, WHOLE, accept, inspected
from tests.people import Person
from tests.sharing.shared import below, made, text_of, visit

SECRET = WHOLE.replace(b"Hello", b"Hello BETWEENUSALONE")


def redact(person: Person) -> int:
    """Redacts all that there is."""
    rule = redaction_rules.add_redaction_rule(person.principal, MaskKind.WORD, "BETWEENUSALONE")
    assert isinstance(rule, RedactionRuleStatus)
    rules = redaction_rules.rules_to_apply(person.principal, [rule.id])
    bulk_jobs.request_bulk_redaction(person.principal, rules, FilterParams())
    while run_one(bulk_steps.KIND):
        pass
    return rule.id


def test_api_says_so_in_lists_details_and_beside_the_bytes(owner: Person, stranger: Person) -> None:
    capture_id, other = inspected(owner, SECRET), inspected(owner)
    rule = redact(owner)
    detail = owner.get(f"/api/v1/captures/{capture_id}/")
    assert detail.json["redactions"] == 1
    redacted = detail.json["redacted"]
    assert redacted["rules"] == [{"id": rule, "kind": "word", "places": 1}]
    assert redacted["response_body"] == 1 and len(redacted["response_body_was"]) == 64
    assert b"BETWEENUSALONE" not in detail.body
    raw = owner.get(f"/api/v1/captures/{capture_id}/raw/")
    assert raw.headers["X-Inspector-Redacted"] == "1"
    assert "X-Inspector-Redacted" not in owner.get(f"/api/v1/captures/{other}/raw/").headers
    assert owner.get(f"/api/v1/captures/{other}/").json["redacted"] is None
    found = owner.get("/api/v1/captures/?q=redacted:yes").json["captures"]
    assert [(row["id"], row["redactions"]) for row in found] == [(str(capture_id), 1)]
    assert stranger.get(f"/api/v1/captures/{capture_id}/").status == 404


def test_an_export_carries_the_mark_and_an_import_keeps_it(owner: Person, stranger: Person) -> None:
    capture_id = inspected(owner, SECRET)
    redact(owner)
    stored = Captures((owner.team.pk,)).stored([capture_id])[capture_id]
    line = envelope_line(stored)
    assert json.loads(line)["archived"]["redaction"]["response_body"] == 1
    arrival = parse_envelope(line)
    assert arrival.origin is not None and arrival.origin.redaction == stored.origin.redaction
    [imported] = store_imported(stranger.service, [arrival])
    capture = Capture.objects.select_related("evidence").get(pk=imported.id)
    assert capture.redactions == 1
    assert evidence.marks_in(capture.evidence.surroundings).redaction == stored.origin.redaction
    assert "Redacted: 1 passage" in removal_line(stored.origin.removal, stored.origin.redaction)


def test_a_visitor_is_told_that_something_was_overwritten_and_by_no_rule_of_the_team(
    owner: Person,
) -> None:
    path = "**.content"
    rule = redaction_rules.add_redaction_rule(owner.principal, MaskKind.PATH, path)
    assert isinstance(rule, RedactionRuleStatus)
    redaction_rules.turn_redaction_rule(owner.principal, rule.id, on=True)
    capture_id = inspected(owner, SECRET)
    page = text_of(made(owner, capture_id))
    assert "overwritten by the team&#x27;s rules." in page and path not in page
    own = owner.browser().get(f"/captures/{capture_id}/").content.decode()
    assert f"rules (path {path}: 1)" in own


def test_exports_of_the_old_bytes_end_and_links_show_the_new_ones(owner: Person) -> None:
    capture_id = inspected(owner, SECRET)
    share = made(owner, capture_id)
    assert "BETWEENUSALONE" in text_of(share)
    ours = exports.for_principal(owner.principal)
    export = ours.request("jsonl", FilterParams())
    assert isinstance(export, ExportStatus)
    while run_one(steps.KIND):
        pass
    redact(owner)
    found = ours.one(export.id)
    assert found is not None and found.state == "withdrawn"
    assert "Redacted: 1 passage" in text_of(share)
    assert "BETWEENUSALONE" not in text_of(share)
    assert b"BETWEENUSALONE" not in visit(share, below(capture_id, "raw/")).content


def test_an_export_that_was_being_written_meanwhile_has_the_new_bytes(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    accept(owner, SECRET, JSON)
    ours = exports.for_principal(owner.principal)
    export = ours.request("jsonl", FilterParams())
    assert isinstance(export, ExportStatus)
    lock = Captures.lock

    def redacted_meanwhile(self: Captures, redactions: dict[object, int]) -> bool:
        monkeypatch.setattr(Captures, "lock", lock)
        Capture.objects.update(rewritings=1)
        return lock(self, redactions)  # type: ignore[arg-type]

    monkeypatch.setattr(Captures, "lock", redacted_meanwhile)
    while run_one(steps.KIND):
        pass
    found = ours.one(export.id)
    assert found is not None and (found.state, found.done) == ("finished", 1)
