"""A backup put back: into another directory, another database, a newer program."""

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from msgspec.structs import replace

from inspector.archive import saved_views
from inspector.archive.background import bulk_steps, retention_rules
from inspector.archive.background.bulk_jobs import BulkJobStatus, request_bulk_job, request_undo
from inspector.archive.deletion import delete
from inspector.archive.inspection import claims
from inspector.archive.intake.proxy_counts import CallsOfHour, add_counts
from inspector.archive.intake.recording import append
from inspector.archive.intake.submission import Submission
from inspector.archive.listing.filter_params import FilterParams
from inspector.archive.models import BulkKind, Capture, Evidence, RetentionClock, State
from inspector.core.wire.exchange import Exchange
from inspector.feedback import allowed_sites, issue_tokens, signing_keys
from inspector.feedback.models import TriageState
from inspector.feedback.triage import triage_vote
from inspector.operations.backup.create import create_backup
from inspector.operations.backup.progress import unwatched
from inspector.teams import audit_chain, team_upstreams
from inspector.usage import repricing
from inspector.usage.cost import team_prices
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.token_kinds import TokenKind
from inspector.work.run import run_one
from tests.archive.background.test_bulk_redaction import rule as redaction_rule
from tests.archive.calls import FIRST, NOON, begun, call, segment
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import CUT, STREAM, WHOLE, accept, accept_arrival, inspected
from tests.feedback.voting import SEED_TOKEN, SIGNED, carrying, token_for, voted
from tests.operations.backup import places
from tests.operations.backup.places import Place, Rows
from tests.people import Person
from tests.sharing.shared import captured, listed, made, opened
from tests.transfer.uploads.waiting import upload_of
from tests.usage.past import WITH_REASONING, arrived, look

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backup.tar"


@pytest.fixture
def fresh(tmp_path: Path) -> Place:
    return places.sqlite(tmp_path / "data")


def fill(owner: Person, stranger: Person) -> None:
    """Something in every table and every state."""
    for person, body, kind in ((owner, WHOLE, "application/json"), (stranger, STREAM, None)):
        inspected(person, body, kind)
    grow_old(inspected(owner, CUT))
    read_everything_again()
    arrived(owner, 30, 9)
    arrived(owner, 20, 2, WITH_REASONING)
    assert look()
    headers = (("x-request-id", "req_1"),)
    accept_arrival(owner, Submission(replace(Exchange.of_body(WHOLE), headers=headers)))
    share = made(owner, captured(owner))
    assert opened(share)
    assert opened(listed(owner, "stream:yes"))
    assert redaction_rule(owner)
    deleted = inspected(owner, WHOLE.replace(b'"index":0', b'"feedback_token":"t","index":0'))
    assert delete(owner.service, deleted)
    vote_and_triage(owner)
    said: dict[str, Any] = {"n": 2**70, "f": 1.5, "deep": [None, True, {"ü": "\u2028"}]}
    arrival = Submission(Exchange.of_body(b"\x00\xff"), ("ä", "b"), "a\nnote", said)
    accept_arrival(owner, arrival)
    given_up = accept(owner, b"x")
    Capture.objects.filter(pk=given_up).update(state=State.QUARANTINED, quarantine_reason="why")
    tagged_in_bulk(owner)
    views = saved_views.for_principal(owner.principal)
    assert views.save("Mine", "verdict=complete", "", is_team=False)
    assert views.save("Ours", "q=ä", "order=cost", is_team=True)
    accept(owner, b"in work")
    append([segment(begun(call(owner)), 0, FIRST)])
    add_counts([CallsOfHour(owner.team.pk, NOON, {"recorded": 1, "missed": 2})])
    rates = {TokenKind.PROMPT: Decimal("1.25")}
    override = Override("gpt", rates, date(2026, 11, 1), date(2026, 12, 1), is_prefix=True)
    team_prices.for_principal(owner.principal).add(override)
    team_upstreams.for_principal(owner.principal).add("llm", "https://llm.example")
    now = timezone.now()
    repricing.for_principal(owner.principal).request(now - timedelta(days=1), now)
    retention_rules.add_rule(owner.principal, RetentionClock.CAPTURES, "result:error", 30)
    assert upload_of(owner)
    audit_chain.seal()


def tagged_in_bulk(owner: Person) -> None:
    """A job that is finished, and one that will undo it."""
    job = request_bulk_job(owner.principal, BulkKind.TAG, "seen", FilterParams())
    assert isinstance(job, BulkJobStatus)
    while run_one(bulk_steps.KIND):
        pass
    assert request_undo(owner.principal, job.id)


def vote_and_triage(owner: Person) -> None:
    """Votes that are live and superseded, and all that stands around them."""
    capture_id = carrying(owner, SEED_TOKEN, None, SIGNED)
    voted(owner, token_for(owner, capture_id, 1), "positive")
    voted(owner, SEED_TOKEN, "positive", comment="ä")
    last = voted(owner, SEED_TOKEN, "negative", user_id="u")
    voted(owner, SIGNED)
    triage_vote(owner.principal, last.id, TriageState.RESOLVED, "seen")
    issue_tokens.revoke_tokens(owner.principal, capture_id, 1)
    signing_keys.rotate_key(owner.principal)
    allowed_sites.allow_site(owner.principal, "https://app.example.org")


def without_leases(rows: Rows) -> Rows:
    """As rows are once nobody works on them."""
    for row in rows["archive_capture"]:
        if row["state"] == "processing":
            row |= {"state": "received", "attempt": row["attempt"] - 1}
        row |= {"lease_token": None, "due_at": None}
    return rows


@pytest.mark.both_stacks
def test_what_is_restored_is_what_was_backed_up(
    owner: Person, stranger: Person, file: Path, fresh: Place
) -> None:
    fill(owner, stranger)
    assert claims.claim()
    manifest = create_backup(file, unwatched)
    assert manifest.captures.keys() == {
        "inspected", "gone", "quarantined", "processing", "recording",
    }  # fmt: skip
    before = without_leases(places.rows_of(file))
    assert before.keys() == {table.name for table in manifest.tables}
    assert without_leases(fresh.restored(file)) == before


@pytest.mark.thorough
@pytest.mark.production
def test_it_goes_from_postgresql_to_sqlite_and_back(
    owner: Person, stranger: Person, file: Path, fresh: Place, tmp_path: Path
) -> None:
    fill(owner, stranger)
    create_backup(file, unwatched)
    before = without_leases(places.rows_of(file))
    fresh.restored(file)
    fresh.done("backup", str(tmp_path / "of-sqlite.tar"))
    with places.postgresql() as other:
        assert without_leases(other.restored(tmp_path / "of-sqlite.tar")) == before
        # Numbers go on above those that came with their rows.
        other.done("create_api_key", "--team", "default", "--name", "another")
        other.done("create_owner", "nina", "--team", "new")
        assert "5 captures claimed" not in other.done("sweep", "--once", "--older-than", "0")


@pytest.mark.thorough
def test_what_was_being_inspected_is_inspected_after_it(
    owner: Person, file: Path, fresh: Place
) -> None:
    accept(owner)
    assert claims.claim()
    create_backup(file, unwatched)
    said = fresh.done("restore", str(file))
    assert "1 captures (1 processing)" in said and "1 captures (1 received)" in said
    assert "1 captures claimed" in fresh.done("sweep", "--once", "--older-than", "0")


def test_an_archive_that_is_not_empty_is_left_alone(owner: Person, file: Path) -> None:
    kept = accept(owner)
    create_backup(file, unwatched)
    with pytest.raises(CommandError, match="not empty") as refused:
        call_command("restore", file)
    assert refused.value.returncode == 2
    assert Capture.objects.get().pk == kept


@pytest.mark.thorough
def test_what_was_damaged_before_is_restored_and_told(
    owner: Person, file: Path, fresh: Place
) -> None:
    rotten, sound = accept(owner), accept(owner, STREAM)
    other = Evidence.objects.get(pk=sound)
    Evidence.objects.filter(pk=rotten).update(body=other.body)
    create_backup(file, unwatched)
    ended = fresh.run("restore", str(file))
    assert ended.returncode == 0 and "2 captures" in ended.stdout
    assert f"capture {rotten}: its bytes are not those that came" in ended.stderr
    assert str(sound) not in ended.stderr


@pytest.mark.thorough
def test_a_backup_of_an_older_release_is_migrated_on(tmp_path: Path) -> None:
    older, newer = places.sqlite(tmp_path / "older"), places.sqlite(tmp_path / "newer").later()
    (tmp_path / "older").mkdir()
    older.done("migrate", "--no-input")
    older.done("create_owner", "olga")
    older.done("backup", str(tmp_path / "older.tar"))
    newer.done("restore", str(tmp_path / "older.tar"))
    assert "9999" in newer.done("showmigrations", "--plan", "archive").partition("[ ]")[0]
    newer.done("sign_in_link", "olga")
