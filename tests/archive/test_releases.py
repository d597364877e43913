"""Programs of two releases on the same tables: what the later one wrote is nobody's fault here."""

import pytest

from inspector.archive.deletion import delete
from inspector.archive.inspection import claims, reinspection
from inspector.archive.models import Capture, Inspection, State, TokenTombstone
from inspector.archive.queries import for_principal
from inspector.archive.storage import evidence
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.newer import NEWER, UNHEARD_OF, inspect_as_newer, store_as_newer
from tests.archive.samples import accept, accept_arrival, inspect_all, inspected
from tests.archive.test_deletion import canary
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def test_evidence_of_a_newer_form_waits_for_a_newer_program(owner: Person) -> None:
    theirs, ours = accept(owner), accept(owner)
    store_as_newer(theirs)
    inspect_all()
    assert not claims.any_due()
    left, done = Capture.objects.get(pk=theirs), Capture.objects.get(pk=ours)
    assert (left.state, left.attempt, left.quarantine_reason) == (State.RECEIVED, 0, None)
    assert done.state == State.INSPECTED


def test_a_newer_program_inspects_the_rest(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture_id = accept(owner)
    store_as_newer(capture_id)
    monkeypatch.setattr(evidence, "FORM", evidence.FORM + 1)
    inspect_all()
    assert Capture.objects.get(pk=capture_id).state == State.INSPECTED


def test_evidence_of_a_newer_form_is_asked_for_again(owner: Person, stranger: Person) -> None:
    capture_id = accept(owner)
    store_as_newer(capture_id)
    answer = owner.get(f"/api/v1/captures/{capture_id}/raw/")
    assert (answer.status, answer.code) == (503, "unavailable")
    assert answer.headers["Retry-After"]
    assert stranger.get(f"/api/v1/captures/{capture_id}/raw/").status == 404


def test_a_readout_of_an_unknown_shape_is_left_to_the_newer_program(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    inspect_as_newer(capture_id)
    for person in (owner, teammate):
        page = for_principal(person.principal).opened(capture_id)
        assert page is not None and page.analysis is None
        shown = person.browser().get(f"/captures/{capture_id}/")
        assert (shown.status_code, b"cannot be loaded" in shown.content) == (200, True)
        assert person.browser().get("/t/default/captures/").status_code == 200
        assert person.get(f"/api/v1/captures/{capture_id}/").json["analysis"] is None
    (row,) = owner.get("/api/v1/captures/").json["captures"]
    assert row["verdict"] == UNHEARD_OF
    assert stranger.get(f"/api/v1/captures/{capture_id}/").status == 404


def test_what_a_newer_release_read_is_not_read_again(owner: Person) -> None:
    capture_id = inspected(owner)
    inspect_as_newer(capture_id)
    reinspection.open_jobs()
    assert not run_one(reinspection.KIND) and not Work.objects.exists()
    assert Inspection.objects.get(pk=capture_id).analysis_version == NEWER


def test_deleting_it_keeps_the_hashes_of_its_feedback_tokens(owner: Person) -> None:
    capture_id = accept_arrival(owner, canary(owner)).id
    inspect_all()
    inspect_as_newer(capture_id)
    receipt = delete(owner.principal, capture_id)
    assert receipt is not None and receipt.feedback_tokens == 2
    assert TokenTombstone.objects.filter(capture=capture_id).count() == 2
