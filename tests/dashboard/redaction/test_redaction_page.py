"""The page of redaction rules: what it shows, and what each of three people may do there."""

import pytest

from inspector.archive.background import bulk_steps
from inspector.archive.models import Capture, RedactionRule
from inspector.work.models import Work
from inspector.work.run import run_one
from tests.archive.samples import WHOLE, accept, inspected
from tests.people import Person

FORM = "application/x-www-form-urlencoded"
PAGE = "/t/default/redaction/"
MAIL = WHOLE.replace(b"Hello", b"Hello a@example.com")


def send(person: Person, path: str, body: bytes) -> tuple[int, bytes]:
    answer = person.browser().post(f"{PAGE}{path}", body, FORM)
    return answer.status_code, answer.content


def seen(person: Person, path: str = PAGE) -> tuple[int, bytes]:
    answer = person.browser().get(path)
    return answer.status_code, answer.content


def added(owner: Person, body: bytes = b"what=preset:email&text=") -> int:
    assert send(owner, "add/", body)[0] == 302
    return RedactionRule.objects.latest("pk").pk


def test_a_rule_is_added_off_switched_on_and_removed(owner: Person) -> None:
    assert b"No rules: texts are kept as they were sent." in seen(owner)[1]
    rule = added(owner)
    assert b"e-mail addresses" in seen(owner)[1]
    assert not RedactionRule.objects.get().is_on
    assert send(owner, f"rules/{rule}/turn/", b"on=yes")[0] == 302
    assert RedactionRule.objects.get().is_on
    assert send(owner, f"rules/{rule}/remove/", b"")[0] == 302
    assert not RedactionRule.objects.exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"what=word&text=(a%2B)%2B%24", b"This is written like a regular expression."),
        (b"what=word&text=a", b"A word has 3 letters or digits at least."),
        (b"what=word&text=" + b"x" * 201, b"A word has 200 characters at most."),
        (b"what=path&text=**.a.**.b.**.c.**.d", b"The path has too many steps, or too many **."),
        (b"what=path&text=**", b"Wildcards alone would overwrite everything."),
        (b"what=path&text=a[?(@.b)]", b"A path has names, positions"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_reason(
    owner: Person, body: bytes, said: bytes
) -> None:
    status, page = send(owner, "add/", body)
    assert status == 422 and said in page
    assert not RedactionRule.objects.exists()


def test_a_dry_run_shows_hits_and_changes_nothing(owner: Person) -> None:
    added(owner)
    capture_id = accept(owner, MAIL)
    accept(owner)
    status, page = send(owner, "try/", b"rule=all&query=")
    assert status == 200
    assert b"1 passage in 1 of 2 captures." in page
    assert b"a@example.com" in page
    assert f"/captures/{capture_id}/?raw=hex&amp;byte={MAIL.index(b'a@ex')}#raw".encode() in page
    assert not Capture.objects.exclude(redactions=0).exists()


def test_what_the_dry_run_showed_is_overwritten_by_a_job(owner: Person) -> None:
    rule = added(owner)
    capture_id = inspected(owner, MAIL)
    status, _ = send(owner, "apply/", f"rule={rule}&query=".encode())
    assert status == 302
    while run_one(bulk_steps.KIND):
        pass
    page = seen(owner, f"/captures/{capture_id}/")[1]
    assert (
        b"Redacted: 1 passage overwritten by the team&#x27;s rules (e-mail addresses: 1)." in page
    )
    assert b"a@example.com" not in page
    assert b"Redacted 1 capture of 1, 1 passage." in seen(owner, "/t/default/captures/bulk/")[1]
    assert b"overwritten by rules of the team" in seen(owner, "/t/default/captures/")[1]


def test_a_query_that_is_not_understood_is_refused(owner: Person) -> None:
    added(owner)
    for path in ("try/", "apply/"):
        status, page = send(owner, path, b"rule=all&query=size>")
        assert status == 422 and b"The query was not understood: " in page
    assert not Work.objects.exists()


def test_a_job_needs_a_rule(owner: Person) -> None:
    status, page = send(owner, "apply/", b"rule=all&query=")
    assert status == 422
    assert not Work.objects.exists()


def test_members_see_the_rules_and_no_switch(owner: Person, teammate: Person) -> None:
    added(owner)
    status, page = seen(teammate)
    assert status == 200
    assert b"e-mail addresses" in page and b"Switch on" not in page


def test_a_dry_run_that_finds_nothing_says_so(owner: Person) -> None:
    added(owner)
    accept(owner)
    assert b"Nothing to overwrite in 1 capture." in send(owner, "try/", b"rule=all&query=")[1]
