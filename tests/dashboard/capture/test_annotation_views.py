"""Tags and a note: kept as they were written, by whoever may send."""

import re
from html import unescape
from uuid import UUID

import pytest

from inspector.archive import queries
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.teams.models import Role
from tests.archive.samples import inspected
from tests.people import Person, make_person


def post(person: Person, capture_id: UUID, what: str, text: str) -> int:
    return person.browser().post(f"/captures/{capture_id}/{what}/", {what: text}).status_code


def kept(person: Person, capture_id: UUID) -> tuple[tuple[str, ...], str]:
    opened = queries.for_principal(person.principal).opened(capture_id)
    assert opened is not None
    return opened.row.tags, opened.note


def test_tags_and_note_are_kept_each_by_itself(owner: Person, teammate: Person) -> None:
    capture_id = inspected(owner)
    assert post(owner, capture_id, "note", "look here\r\nand there") == 302
    assert post(teammate, capture_id, "tags", "checkout\r\n\r\n a, b \r\ncheckout") == 302
    assert kept(owner, capture_id) == (("checkout", "a, b"), "look here\nand there")
    assert post(owner, capture_id, "tags", "") == post(owner, capture_id, "note", "") == 302
    assert kept(owner, capture_id) == ((), "")


def test_the_evidence_is_untouched(owner: Person) -> None:
    capture_id = inspected(owner)
    before = queries.for_principal(owner.principal).evidence(capture_id)
    post(owner, capture_id, "note", "something else")
    assert queries.for_principal(owner.principal).evidence(capture_id) == before


@pytest.mark.parametrize("what", ["tags", "note"])
def test_who_may_only_read_is_offered_nothing_and_refused(what: str, owner: Person) -> None:
    viewer, capture_id = make_person("vera", "default", Role.VIEWER), inspected(owner)
    assert "/note/" not in viewer.browser().get(f"/captures/{capture_id}/").content.decode()
    assert post(viewer, capture_id, what, "mine") == 403
    assert kept(owner, capture_id) == ((), "")


@pytest.mark.parametrize(
    ("what", "text", "said"),
    [
        ("tags", "\n".join(f"tag{n}" for n in range(MAX_TAGS + 1)), f"at most {MAX_TAGS} tags"),
        ("tags", "x" * (TAG_CHARACTERS + 1), f"at most {TAG_CHARACTERS} characters"),
        ("note", "x" * (NOTE_CHARACTERS + 1), f"at most {NOTE_CHARACTERS} characters"),
    ],
)
def test_what_is_too_long_comes_back_with_a_reason_and_nothing_is_cut(
    what: str, text: str, said: str, owner: Person
) -> None:
    capture_id = inspected(owner)
    answer = owner.browser().post(f"/captures/{capture_id}/{what}/", {what: text})
    html = answer.content.decode()
    assert answer.status_code == 422 and said in html
    assert re.search(r'<details class="edit" name="edit" open>', html)
    assert text in unescape(html)
    assert kept(owner, capture_id) == ((), "")
