"""The page of deleted captures, at each door."""

import hashlib
import re
from typing import Any
from uuid import UUID, uuid4

import pytest

from inspector.archive import receipts
from inspector.archive.background import retention_rules
from inspector.archive.background.retention_rules import RetentionRuleStatus
from inspector.archive.deletion import delete
from inspector.archive.models import Capture, RetentionClock
from tests.archive.samples import STREAM, WHOLE, inspected
from tests.markup import evened
from tests.people import Person

PAGE = "/t/default/retention/receipts/"
LINK = re.compile(r'<a rel="(next|prev)" href="\?((?:before|after)=[^"]+)">')


def deleted(person: Person, body: bytes = WHOLE) -> UUID:
    capture_id = inspected(person, body)
    assert delete(person.principal, capture_id) is not None
    return capture_id


def page(person: Person, **query: str) -> str:
    return person.browser().get(PAGE, query).content.decode()


def listed(seen: str) -> list[str]:
    return re.findall(r'<th scope="row"><code>([^<]+)</code>', seen)


def at(person: Person, query: str) -> str:
    return person.browser().get(f"{PAGE}?{query}").content.decode()


def test_without_deletions_it_says_so(owner: Person) -> None:
    inspected(owner)
    seen = page(owner)
    assert "No deletions." in seen and listed(seen) == []


def test_a_deleted_capture_is_listed_with_what_proves_it(owner: Person) -> None:
    capture_id = deleted(owner)
    seen = evened(page(owner))
    assert listed(seen) == [str(capture_id)]
    for told in (hashlib.sha256(WHOLE).hexdigest(), "olga", f"{len(WHOLE):,}", "for good"):
        assert told in seen


def test_it_says_how_long_a_rule_keeps_receipts(owner: Person) -> None:
    deleted(owner)
    rule = retention_rules.add_rule(owner.principal, RetentionClock.TOMBSTONES, "", 30)
    assert isinstance(rule, RetentionRuleStatus)
    retention_rules.turn_rule(owner.principal, rule.id, on=True)
    assert "for 30 days after the deletion" in page(owner)


def test_the_receipt_of_a_recording_says_that_it_has_no_hash(owner: Person) -> None:
    capture_id = deleted(owner)
    Capture.objects.filter(pk=capture_id).update(sha256="")
    assert "none: it was still recorded" in page(owner)


@pytest.mark.parametrize("form", ["{0}", " {0} ", "{0.hex}"])
def test_a_receipt_is_found_by_id(owner: Person, form: str) -> None:
    capture_id, _ = deleted(owner), deleted(owner)
    assert listed(page(owner, find=form.format(capture_id))) == [str(capture_id)]


def test_receipts_are_found_by_hash(owner: Person) -> None:
    stream, _ = deleted(owner, STREAM), deleted(owner)
    digest = hashlib.sha256(STREAM).hexdigest()
    assert listed(page(owner, find=digest)) == listed(page(owner, find=digest.upper()))
    assert listed(page(owner, find=digest)) == [str(stream)]


def test_what_was_not_deleted_is_not_found(owner: Person) -> None:
    deleted(owner)
    for find in (str(inspected(owner)), str(uuid4()), "a" * 64):
        seen = page(owner, find=find)
        assert listed(seen) == [] and "No receipt of it is kept" in seen


@pytest.mark.parametrize("find", ["x", "01a218a4", "g" * 64, "a" * 101, "\0"])
def test_what_is_no_id_and_no_hash_is_refused(owner: Person, find: str) -> None:
    deleted(owner)
    answer = owner.browser().get(PAGE, {"find": find})
    seen = answer.content.decode()
    assert answer.status_code == 422
    assert 'class="errorlist"' in seen and listed(seen) == []


def test_pages_lead_to_older_deletions_and_back(owner: Person, monkeypatch: Any) -> None:
    monkeypatch.setattr(receipts, "MAX_PAGE_ROWS", 2)
    gone = [str(deleted(owner)) for _ in range(5)][::-1]
    digest = hashlib.sha256(WHOLE).hexdigest()
    seen, found = at(owner, f"find={digest}"), []
    assert dict(LINK.findall(seen)).keys() == {"next"}
    for _ in range(2):
        found += listed(seen)
        seen = at(owner, dict(LINK.findall(seen))["next"].replace("&amp;", "&"))
    assert [*found, *listed(seen)] == gone
    assert dict(LINK.findall(seen)).keys() == {"prev"} and ">Newest</a>" in seen
    for expected in (gone[2:4], gone[:2]):
        seen = at(owner, dict(LINK.findall(seen))["prev"].replace("&amp;", "&"))
        assert listed(seen) == expected
    assert dict(LINK.findall(seen)).keys() == {"next"}


def test_a_cursor_that_is_none_starts_at_the_newest_deletion(owner: Person) -> None:
    capture_id = deleted(owner)
    for query in ("before=x", "after=x", "before="):
        assert listed(at(owner, query)) == [str(capture_id)]


def test_the_pages_around_a_deletion_lead_to_it(owner: Person) -> None:
    capture_id = inspected(owner)
    answer = owner.browser().post(f"/captures/{capture_id}/delete/", {"confirm": "yes"})
    assert f'href="{PAGE}?find={capture_id}"' in answer.content.decode()
    for path in ("/t/default/retention/", "/t/default/captures/bulk/"):
        assert f'href="{PAGE}"' in owner.browser().get(path).content.decode()


def test_the_page_of_the_capture_stays_missing(owner: Person) -> None:
    assert owner.browser().get(f"/captures/{deleted(owner)}/").status_code == 404
