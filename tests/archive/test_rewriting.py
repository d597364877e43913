"""Whatever takes a credential out of a capture takes it out of all that was made of the capture; links
end or follow it, and marks of what was overwritten before stay.
"""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from django.conf import LazySettings, settings
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from inspector.archive import body_deletion, deletion, redaction_rules, rewriting
from inspector.archive.background import bulk_jobs, redacting
from inspector.archive.inspection import reinspection
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filters import NO_FILTERS
from inspector.archive.models import Capture, Document, Evidence, State
from inspector.archive.queries import for_principal
from inspector.archive.redaction_rules import RedactionRuleStatus
from inspector.archive.rewriting import LeftAsItIs
from inspector.archive.storage import evidence
from inspector.archive.storage.compression import decompressed
from inspector.archive.storage.evidence import CaptureOrigin
from inspector.core.credentials.removal import VERSION, Removal
from inspector.core.readout import Readout
from inspector.core.redaction_mark import AppliedRule, MaskKind, MaskRule, Redaction
from inspector.core.wire.exchange import Exchange, Request
from inspector.operations.backup.create import create_backup
from inspector.operations.backup.progress import unwatched
from inspector.teams.models import AuditEntry
from inspector.telemetry import span_export
from inspector.telemetry.models import OutboxSpan
from inspector.transfer.exports import expiry, exports
from inspector.work.run import run_one
from tests.archive.carrying_out import carry_out
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import JSON, WHOLE, accept_arrival, conditions, inspect_all
from tests.operations.backup.places import rows_of
from tests.people import Person
from tests.search.asked import hits
from tests.sharing import shared
from tests.stored import everything, plain
from tests.telemetry.collector import listening
from tests.transfer.exports import carried

pytestmark = [pytest.mark.django_db, pytest.mark.both_stacks]

RANDOM = "Qz7Lr2Vw9Kx4Ht6Bn1McPd83"
KEY = f"sk-proj-{RANDOM}"
EXCHANGE = Exchange(
    reads=Exchange.of_body(WHOLE.replace(b"Hello", f"It is {KEY}".encode())).reads,
    content_type=JSON,
    status_code=200,
    request=Request(
        method="POST",
        url="https://llm.example/v1/chat/completions",
        headers=(("Authorization", f"Bearer {KEY}"),),
        body=json.dumps({"messages": [{"role": "user", "content": f"mine is {KEY}"}]}).encode(),
    ),
)
UNCLEANED = Removal(version=0)
REMOVED = Removal(version=1, request_headers=2, response_body=1, response_body_was="ab" * 32)
REDACTED = Redaction(
    rules=(AppliedRule(id=7, kind=MaskKind.PRESET, name="email", places=1),), response_body=1
)
Way = Callable[[Person, UUID], None]


def stored(
    person: Person, removal: Removal = UNCLEANED, redaction: Redaction | None = None
) -> UUID:
    """As an earlier cleaner, which missed the credential, and rules of then had left it."""
    arrival = Submission(EXCHANGE, removal=removal, redaction=redaction, posted_sha256="cd" * 32)
    capture_id = accept_arrival(person, arrival).id
    inspect_all()
    return capture_id


def clean_up(person: Person, capture_id: UUID) -> None:
    call_command("clean_credentials")


def redact(person: Person, capture_id: UUID) -> None:
    rule = redaction_rules.add_redaction_rule(person.principal, MaskKind.PRESET, "key")
    assert isinstance(rule, RedactionRuleStatus)
    rules = redaction_rules.rules_to_apply(person.principal, [rule.id])
    bulk_jobs.request_bulk_redaction(person.principal, rules, conditions())
    carry_out()


def delete_body(person: Person, capture_id: UUID) -> None:
    with transaction.atomic():
        assert body_deletion.delete_bodies(person.team.pk, [capture_id], "a rule") == 1


def delete(person: Person, capture_id: UUID) -> None:
    assert deletion.delete(person.principal, capture_id) is not None


OVERWRITING: dict[str, Way] = {"clean-up": clean_up, "redaction": redact}
DELETING: dict[str, Way] = {"body deletion": delete_body, "deletion": delete}
ways = pytest.mark.parametrize("way", (OVERWRITING | DELETING).items(), ids=lambda way: way[0])
overwriting = pytest.mark.parametrize("way", OVERWRITING.values(), ids=OVERWRITING)


@ways
def test_nothing_of_it_is_in_any_table(owner: Person, way: tuple[str, Way]) -> None:
    capture_id = stored(owner)
    shared.made(owner, capture_id)
    carried.made(owner)
    assert RANDOM.encode() in everything()
    way[1](owner, capture_id)
    while expiry.erase_step():
        pass
    assert RANDOM.encode() not in everything()


@ways
def test_a_link_ends_or_follows(owner: Person, way: tuple[str, Way]) -> None:
    """Nothing is stored for a link, so it shows what is there; only a deletion ends it."""
    capture_id = stored(owner)
    link = shared.made(owner, capture_id, without_prompt=False)
    assert RANDOM in shared.text_of(link)
    way[1](owner, capture_id)
    assert (shared.opened(link) is None) == (way[0] == "deletion")
    for part in ("", shared.below(capture_id, "raw/"), shared.below(capture_id, "request/")):
        assert RANDOM.encode() not in shared.visit(link, part).content


@ways
def test_exports_that_hold_it_are_withdrawn(owner: Person, way: tuple[str, Way]) -> None:
    capture_id = stored(owner)
    export, file = carried.made(owner)
    assert RANDOM.encode() in file
    way[1](owner, capture_id)
    theirs = exports.for_principal(owner.principal)
    found = theirs.one(export.id)
    assert found is not None and found.state == "withdrawn" and theirs.file(export.id) is None


@ways
def test_an_export_that_had_read_it_reads_it_again(owner: Person, way: tuple[str, Way]) -> None:
    capture_id = stored(owner)
    captures = for_principal(owner.principal)
    (walked,) = captures.walk(None, 10, NO_FILTERS)
    assert captures.lock({capture_id: walked.body})
    way[1](owner, capture_id)
    assert not captures.lock({capture_id: walked.body})


@ways
def test_texts_and_words_know_it_no_more(owner: Person, way: tuple[str, Way]) -> None:
    capture_id = stored(owner)
    assert hits(owner, RANDOM) == {capture_id}
    way[1](owner, capture_id)
    assert hits(owner, RANDOM) == set()


@ways
def test_what_was_read_of_it_knows_it_no_more(owner: Person, way: tuple[str, Way]) -> None:
    capture_id = stored(owner)
    there = Document.objects.filter(pk=capture_id)
    assert RANDOM.encode() in decompressed(there.get().readout)
    way[1](owner, capture_id)
    assert not any(RANDOM.encode() in decompressed(each.readout) for each in there.all())


@ways
def test_what_work_left_behind_about_it_goes(owner: Person, way: tuple[str, Way]) -> None:
    capture_id = stored(owner)
    there = Document.objects.filter(pk=capture_id)
    there.update(previous=there.get().readout, reinspection_error=f"odd: {KEY}")
    way[1](owner, capture_id)
    left = there.values_list("previous", "reinspection_error").first()
    assert left in (None, (None, None))


@ways
def test_a_span_that_waits_goes_out_without_it(
    owner: Person, way: tuple[str, Way], settings: LazySettings
) -> None:
    settings.OTLP_WITH_TEXTS = True
    with listening() as collector:
        settings.OTLP_ENDPOINT = collector.url
        capture_id = stored(owner)
        assert OutboxSpan.objects.count() == 1
        way[1](owner, capture_id)
        run_one(span_export.KIND)
    assert len(collector.posted) == (way[0] != "deletion")
    assert RANDOM.encode() not in b"".join(each.body for each in collector.posted)


@pytest.mark.django_db(transaction=True)
@ways
def test_only_a_backup_before_keeps_it(owner: Person, way: tuple[str, Way], tmp_path: Path) -> None:
    capture_id = stored(owner)
    before, after = tmp_path / "before.tar", tmp_path / "after.tar"
    create_backup(before, unwatched)
    way[1](owner, capture_id)
    create_backup(after, unwatched)
    assert held_by(before) and not held_by(after)


def held_by(backup: Path) -> bool:
    values = (value for rows in rows_of(backup).values() for row in rows for value in row.values())
    return any(RANDOM.encode() in unpacked(value) for value in values)


def unpacked(value: object) -> bytes:
    """Columns of bytes are base64 in a backup."""
    try:
        return plain(base64.b64decode(value, validate=True))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return plain(value)


def test_the_clean_up_tells_its_limits(owner: Person, capsys: pytest.CaptureFixture[str]) -> None:
    stored(owner)
    clean_up(owner, UUID(int=0))
    assert "Backups, replicas, downloaded files and sent spans still have them" in said(capsys)
    clean_up(owner, UUID(int=0))
    assert "Backups" not in said(capsys)


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


BACKUPS = {
    "credentials": "Backups and replicas hold what they held",
    "redaction": "A backup made before has the old bytes; apply the rules again after restoring one",
    "retention": "restore of an older backup the rule deletes them anew",
    "forgetting": "A backup has what was there when it was taken, until it is deleted too",
}


@pytest.mark.parametrize("page", BACKUPS)
def test_the_documents_tell_what_becomes_of_backups(page: str) -> None:
    text = (settings.BASE_DIR / "docs" / f"{page}.md").read_text()
    assert BACKUPS[page] in " ".join(text.split())


def test_the_audit_log_has_one_entry_for_each_team(owner: Person, stranger: Person) -> None:
    first, _, theirs = stored(owner), stored(owner), stored(stranger)
    clean_up(owner, first)
    entries = AuditEntry.objects.filter(act="credentials_cleaned")
    assert set(entries.values_list("team", "by", "on")) == {
        (owner.team.pk, "command", f"from {first} on"),
        (stranger.team.pk, "command", f"from {theirs} on"),
    }


def test_an_export_that_is_imported_elsewhere_tells_what_was_removed_here(owner: Person) -> None:
    origin = CaptureOrigin(id=UUID(int=7), received_at=timezone.now(), removal=REMOVED)
    arrival = Submission(EXCHANGE, removal=REMOVED, origin=origin)
    accept_arrival(owner, arrival)
    clean_up(owner, UUID(int=7))
    line = msgspec.json.decode(carried.exported(owner.team))
    assert line["archived"]["removal"]["response_body"] == 2


@overwriting
def test_why_it_is_in_quarantine_is_told_without_it(owner: Person, way: Way) -> None:
    capture_id = stored(owner)
    there = Capture.objects.filter(pk=capture_id)
    there.update(state=State.QUARANTINED, quarantine_reason=f"ValueError: odd {KEY}")
    way(owner, capture_id)
    reason = there.get().quarantine_reason
    assert reason is not None and reason.startswith("ValueError: odd ") and RANDOM not in reason


# -- marks ------------------------------------------------------------------------------------


def marks_of(capture_id: UUID) -> tuple[Removal | None, Redaction | None]:
    around = evidence.surroundings_of(Capture.objects.get(pk=capture_id))
    assert around is not None
    return around.removal, around.redaction


def test_a_clean_up_keeps_what_rules_had_overwritten(owner: Person) -> None:
    capture_id = stored(owner, redaction=REDACTED)
    clean_up(owner, capture_id)
    removal, redaction = marks_of(capture_id)
    assert removal is not None and removal.response_body == 1
    assert redaction == REDACTED
    assert Capture.objects.get(pk=capture_id).redactions == REDACTED.total


def test_a_clean_up_adds_to_what_an_earlier_one_had_removed(owner: Person) -> None:
    capture_id = stored(owner, removal=REMOVED)
    clean_up(owner, capture_id)
    removal, _ = marks_of(capture_id)
    assert removal is not None and removal.version == VERSION
    assert (removal.request_headers, removal.response_body) == (3, 2)
    assert removal.response_body_was == REMOVED.response_body_was


def test_a_redaction_keeps_what_the_cleaner_had_removed(owner: Person) -> None:
    capture_id = stored(owner, removal=REMOVED, redaction=REDACTED)
    redact(owner, capture_id)
    removal, redaction = marks_of(capture_id)
    assert removal == REMOVED
    assert redaction is not None and redaction.response_body == 2
    assert {rule.name for rule in redaction.rules} == {"email", "key"}


def test_a_deleted_body_still_counts_what_rules_had_overwritten(owner: Person) -> None:
    capture_id = stored(owner, redaction=REDACTED)
    delete_body(owner, capture_id)
    assert Capture.objects.get(pk=capture_id).redactions == REDACTED.total


@overwriting
def test_the_hash_by_which_a_resend_is_known_is_keyed_once(owner: Person, way: Way) -> None:
    plain_one, keyed_one = stored(owner), stored(owner, removal=REMOVED)
    already = Capture.objects.get(pk=keyed_one).posted_sha256
    way(owner, plain_one)
    found = {str(each.posted_sha256) for each in Capture.objects.all()}
    assert found == {already}


# -- others at the same time ------------------------------------------------------------------


@pytest.mark.parametrize("deleted", DELETING.values(), ids=DELETING)
def test_what_is_deleted_while_it_is_read_again_stays_deleted(
    owner: Person, deleted: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = stored(owner)
    readout = rewriting.readout

    def deleted_meanwhile(exchange: Exchange) -> Readout:
        deleted(owner, capture_id)
        return readout(exchange)

    monkeypatch.setattr(rewriting, "readout", deleted_meanwhile)
    clean_up(owner, capture_id)
    assert RANDOM.encode() not in everything()
    assert not Evidence.objects.exists() and hits(owner, "It") == set()


def test_where_the_caller_refuses_nothing_is_stored(owner: Person) -> None:
    capture_id = stored(owner)
    before = everything()
    find = redacting.named_by((MaskRule(1, MaskKind.PRESET, "key"),))
    outcome = rewriting.rewrite(Capture.objects.all(), capture_id, find, lambda _: False)
    assert outcome is LeftAsItIs.REFUSED
    assert everything() == before


@overwriting
def test_a_reinspection_that_read_it_before_stores_nothing_of_it(
    owner: Person, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture_id = stored(owner)
    grow_old(capture_id)
    readout = reinspection.readout

    def overwritten_meanwhile(exchange: Exchange) -> Readout:
        way(owner, capture_id)
        return readout(exchange)

    monkeypatch.setattr(reinspection, "readout", overwritten_meanwhile)
    read_everything_again()
    assert RANDOM.encode() not in everything()
