"""Findings that an app adds: beside those of reading, counted with them, found like them."""

from uuid import UUID

import pytest
from django.db import transaction

from inspector.archive import queries
from inspector.archive.deletion import delete
from inspector.archive.inspection import added_findings
from inspector.archive.listing.filters import Filters
from inspector.archive.models import FindingRow, Inspection
from inspector.core.findings import Finding, Severity, Where
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import CUT, WHOLE, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks

REMARK = Finding(
    code="cost.stated-differs", severity=Severity.INFO, message="So.", where=Where(pointer="/usage")
)
GRAVE = Finding(code="test.grave", severity=Severity.ERROR, message="Oh.")
DIFFERING = WHOLE.replace(b'"index":0', b'"index":0,"cost_usd":5')


def counts(capture_id: UUID) -> tuple[int, int, int]:
    found = Inspection.objects.get(pk=capture_id)
    return found.error_count, found.warning_count, found.info_count


def test_what_is_added_is_counted_and_what_is_taken_away_is_not(owner: Person) -> None:
    first, second = inspected(owner), inspected(owner)
    assert counts(first) == counts(second) == (0, 0, 0)
    added_findings.replace_findings("test", {first: [REMARK, GRAVE], second: []}, known=[])
    assert (counts(first), counts(second)) == ((1, 0, 1), (0, 0, 0))
    added_findings.replace_findings(
        "test", {first: [REMARK], second: [GRAVE]}, known=[first, second]
    )
    assert (counts(first), counts(second)) == ((0, 0, 1), (1, 0, 0))
    added_findings.replace_findings("test", {first: [], second: []}, known=[first, second])
    assert counts(first) == counts(second) == (0, 0, 0)
    assert not FindingRow.objects.filter(source="test").exists()


def test_sources_leave_each_other_alone(owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    before = counts(capture_id)
    added_findings.replace_findings("one", {capture_id: [REMARK]}, known=[])
    added_findings.replace_findings("other", {capture_id: [REMARK]}, known=[])
    added_findings.replace_findings("one", {capture_id: []}, known=[capture_id])
    assert counts(capture_id) == (*before[:2], before[2] + 1)


def test_reading_again_keeps_what_was_added_and_its_count(owner: Person) -> None:
    capture_id = inspected(owner)
    added_findings.replace_findings("test", {capture_id: [REMARK, GRAVE]}, known=[])
    grow_old(capture_id)
    read_everything_again()
    assert counts(capture_id) == (1, 0, 1)
    assert [each.code for each in added_findings.findings_added_to(capture_id)] == [
        "cost.stated-differs",
        "test.grave",
    ]


def test_additions_are_seen_and_found(owner: Person, teammate: Person, stranger: Person) -> None:
    capture_id, silent = inspected(owner, DIFFERING), inspected(owner)
    for person in (owner, teammate):
        for wanted in ("finding=cost.stated-differs", "finding=info"):
            listed = person.get(f"/api/v1/captures/?{wanted}").json["captures"]
            assert [each["id"] for each in listed] == [str(capture_id)]
        told = person.get(f"/api/v1/captures/{capture_id}/findings/").json["findings"]
        assert [each["code"] for each in told if each["code"].startswith("cost")] == [
            "cost.stated-differs"
        ]
        html = person.browser().get(f"/captures/{capture_id}/").content.decode()
        assert "The answer states a cost of $5; by genai-prices 0.2.3 it is $0.00002625." in html
        assert "Sums of stated costs differ from computed ones." in html
    assert stranger.get(f"/api/v1/captures/{capture_id}/findings/").status == 404
    assert stranger.get("/api/v1/captures/?finding=cost.stated-differs").json["captures"] == []
    told = owner.get(f"/api/v1/captures/{silent}/findings/").json["findings"]
    assert told == []


def test_an_answer_of_the_findings_changes_with_what_is_added(owner: Person) -> None:
    capture_id = inspected(owner)
    path = f"/api/v1/captures/{capture_id}/findings/"
    before = owner.get(path)
    added_findings.replace_findings("test", {capture_id: [REMARK]}, known=[])
    after = owner.get(path, headers={"If-None-Match": before.headers["ETag"]})
    assert (after.status, len(after.json["findings"])) == (200, 1)


def test_a_deleted_capture_leaves_nothing_that_was_added(owner: Person) -> None:
    capture_id = inspected(owner, DIFFERING)
    delete(owner.principal, capture_id)
    assert not FindingRow.objects.exists()
    assert (
        queries.for_principal(owner.principal).page(filters=Filters.of(finding=("info",))).rows
        == ()
    )


def test_only_what_is_inspected_can_be_held(owner: Person) -> None:
    capture_id, gone = inspected(owner), inspected(owner)
    delete(owner.principal, gone)
    with transaction.atomic():
        assert added_findings.lock_inspected([capture_id, gone]) == {capture_id}


@pytest.mark.parametrize("number", [0, 1, 150])
def test_as_few_statements_for_many_as_for_few(
    owner: Person, django_assert_max_num_queries: object, number: int
) -> None:
    ids = [inspected(owner) for _ in range(3)]
    with django_assert_max_num_queries(5):  # type: ignore[operator]
        added_findings.replace_findings(
            "test", {capture_id: [REMARK] * number for capture_id in ids}, known=ids
        )
    assert counts(ids[0]) == (0, 0, number)
