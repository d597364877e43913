"""Redaction rules, their dry run, and the job that applies them, over HTTP."""

import json
from typing import Any

import pytest

from inspector.archive import redaction_dry_run
from inspector.archive.background import bulk_jobs
from inspector.archive.models import Capture, RedactionRule
from inspector.archive.redaction_rules import MAX_RULES
from inspector.teams.access import DELETE, INGEST, READ
from inspector.teams.keys import create_api_key
from inspector.teams.models import AuditEntry
from inspector.work.models import Work
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, WHOLE, accept, inspected
from tests.people import JSON, Answer, Person, ask, bearer
from tests.stored import everything

RULES = "/api/v1/redaction/rules/"
DRY_RUN = "/api/v1/redaction/dry-run/"
BULK = "/api/v1/captures/bulk/"
REDACTION = f"{BULK}redaction/"
MAIL = WHOLE.replace(b"Hello", b"Hello a@example.com")
SECRET = WHOLE.replace(b"Hello", b"Hello BETWEENUSALONE")
MAIL_RULE = {"kind": "preset", "text": "email"}
WORD_RULE = {"kind": "word", "text": "betweenusalone"}


def add(person: Person, rule: dict[str, Any] = MAIL_RULE) -> Answer:
    return person.post(RULES, json.dumps(rule).encode())


def with_scopes(person: Person, *scopes: str) -> dict[str, str]:
    return bearer(create_api_key(person.team, " ".join(scopes), scopes=list(scopes)))


# -- rules ----------------------------------------------------------------------------------------


def test_a_rule_is_added_off_read_switched_and_removed(owner: Person) -> None:
    answer = add(owner)
    rule = answer.json
    assert answer.status == 201
    assert (rule["kind"], rule["text"], rule["is_on"]) == ("preset", "email", False)
    assert rule["made_by"].startswith("key ")
    assert owner.get(RULES).json == {"rules": [rule]}
    one = f"{RULES}{rule['id']}/"
    assert owner.get(one).json == rule
    on = owner.ask("PATCH", one, b'{"is_on":true}')
    assert (on.status, on.json) == (200, {**rule, "is_on": True})
    accept(owner, MAIL)
    assert b"a@example.com" not in everything()
    off = owner.ask("PATCH", one, b'{"is_on":false}')
    assert (off.status, off.json) == (200, rule)
    removed = owner.ask("DELETE", one)
    assert (removed.status, removed.json) == (200, rule)
    assert owner.get(RULES).json == {"rules": []} and owner.get(one).status == 404
    noted = AuditEntry.objects.filter(act__startswith="redaction").order_by("pk")
    assert [entry.act.removeprefix("redaction_") for entry in noted] == [
        *("added", "on", "off", "removed")
    ]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"kind": "word", "text": "(a+)+$"}, "This is written like a regular expression."),
        ({"kind": "word", "text": "a"}, "A word has 3 letters or digits at least."),
        ({"kind": "word", "text": "x" * 201}, "A word has 200 characters at most."),
        ({"kind": "word", "text": "abc*d"}, "Nothing can match"),
        ({"kind": "word", "text": "  "}, "A word has 3 letters or digits at least."),
        ({"kind": "path", "text": "a[?(@.b)]"}, "A path has names, positions"),
        ({"kind": "path", "text": ".".join("a" * 25)}, "The path has too many steps"),
        ({"kind": "path", "text": "**"}, "Wildcards alone would overwrite everything."),
        ({"kind": "preset", "text": "passport"}, "There is no such preset."),
        ({"kind": "regex", "text": "a"}, "kind"),
        ({"kind": "word", "text": ""}, "text"),
        ({"kind": "word", "text": "x" * 301}, "text"),
        ({"kind": "word", "text": "Nightjar", "is_on": True}, "is_on"),
        ({"kind": "word"}, "text"),
        ({}, "kind"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_reason(
    owner: Person, rule: dict[str, Any], said: str
) -> None:
    answer = add(owner, rule)
    assert (answer.status, answer.code) == (422, "invalid_body")
    assert said in answer.json["error"]["message"]
    assert not RedactionRule.objects.exists()


def test_a_team_has_a_rule_once_and_so_many_of_them(owner: Person, stranger: Person) -> None:
    assert add(owner).status == 201
    again = add(owner)
    assert (again.status, again.code) == (409, "rule_known")
    assert add(stranger).status == 201
    for number in range(MAX_RULES - 1):
        assert add(owner, {"kind": "word", "text": f"nightjar {number}"}).status == 201
    full = add(owner, {"kind": "word", "text": "one more"})
    assert (full.status, full.code) == (409, "too_many_rules")


def test_a_key_that_may_not_change_rules_is_told_all_but_words(owner: Person) -> None:
    for rule in (MAIL_RULE, WORD_RULE, {"kind": "path", "text": "**.password"}):
        assert add(owner, rule).json["text"] == rule["text"]
    for scopes in ((READ,), (INGEST, READ)):
        answer = ask("GET", RULES, headers=with_scopes(owner, *scopes))
        assert [rule["text"] for rule in answer.json["rules"]] == ["email", None, "**.password"]
        word = answer.json["rules"][1]["id"]
        one = ask("GET", f"{RULES}{word}/", headers=with_scopes(owner, *scopes))
        assert one.json["text"] is None and b"betweenusalone" not in one.body
    assert owner.get(RULES).json["rules"][1]["text"] == "betweenusalone"


def test_key_that_deletes_and_does_not_read_switches_a_rule_and_sees_no_text(owner: Person) -> None:
    rule = add(owner).json["id"]
    key = with_scopes(owner, DELETE)
    on = ask("PATCH", f"{RULES}{rule}/", b'{"is_on":true}', JSON, key)
    assert (on.status, on.json["is_on"]) == (200, True)
    assert ask("GET", RULES, headers=key).status == 403
    for path, body in ((DRY_RUN, b"{}"), (REDACTION, b'{"confirm_captures":0}')):
        refused = ask("POST", path, body, JSON, key)
        assert (refused.status, refused.code) == (403, "missing_scope")
        assert "scope read" in refused.json["error"]["message"]


def test_rules_of_a_stranger_are_none(owner: Person, stranger: Person) -> None:
    rule = add(owner).json["id"]
    assert stranger.get(RULES).json == {"rules": []}
    add(stranger)
    body = json.dumps({"rules": [rule], "confirm_captures": 0}).encode()
    for path, named in ((DRY_RUN, f'{{"rules":[{rule}]}}'.encode()), (REDACTION, body)):
        refused = stranger.post(path, named)
        assert (refused.status, refused.code) == (422, "invalid_body")
        assert refused.json["error"]["message"] == f"the team has no rule {rule}"
    assert RedactionRule.objects.get(pk=rule).is_on is False


# -- dry run --------------------------------------------------------------------------------------


def test_a_dry_run_tells_what_would_be_overwritten_and_changes_nothing(owner: Person) -> None:
    mail, word = add(owner).json["id"], add(owner, WORD_RULE).json["id"]
    hit = inspected(owner, MAIL)
    inspected(owner)
    assert owner.post(DRY_RUN, b"{}").json == {
        "looked_at": 2,
        "captures": 1,
        "too_large": 0,
        "is_all": True,
        "places": [{"rule": mail, "count": 1}, {"rule": word, "count": 0}],
        "hits": [
            {
                "capture": str(hit),
                "rule": mail,
                "is_request": False,
                "byte": MAIL.index(b"a@example.com"),
                "text": "a@example.com",
            }
        ],
    }
    assert not Capture.objects.exclude(redactions=0).exists()
    assert not RedactionRule.objects.filter(is_on=True).exists()


def test_a_dry_run_is_of_its_query_and_its_rules_alone(owner: Person) -> None:
    mail, word = add(owner).json["id"], add(owner, WORD_RULE).json["id"]
    inspected(owner, MAIL)
    inspected(owner, CUT)
    cut = owner.post(f"{DRY_RUN}?verdict=cut-off", b"{}").json
    assert (cut["looked_at"], cut["captures"]) == (1, 0)
    other = owner.post(f"{DRY_RUN}?q=verdict:complete", json.dumps({"rules": [word]}).encode()).json
    assert (other["looked_at"], other["places"]) == (1, [{"rule": word, "count": 0}])
    one = owner.post(DRY_RUN, json.dumps({"rules": [mail, mail]}).encode()).json
    assert one["places"] == [{"rule": mail, "count": 1}]


def test_a_dry_run_says_what_it_did_not_look_at(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(owner)
    inspected(owner, MAIL)
    monkeypatch.setattr(redaction_dry_run, "MAX_BYTES", 10)
    found = owner.post(DRY_RUN, b"{}").json
    assert (found["looked_at"], found["too_large"], found["captures"]) == (1, 1, 0)
    monkeypatch.setattr(redaction_dry_run, "MAX_CAPTURES", 1)
    inspected(owner)
    found = owner.post(DRY_RUN, b"{}").json
    assert found["is_all"] is False


@pytest.mark.parametrize("path", [DRY_RUN, REDACTION])
@pytest.mark.parametrize(
    ("query", "members", "code"),
    [
        ("", {"rules": []}, "invalid_body"),
        ("", {"rules": [0]}, "invalid_body"),
        ("", {"rules": [1 << 63]}, "invalid_body"),
        ("", {"rules": ["1"]}, "invalid_body"),
        ("", {"rules": 1}, "invalid_body"),
        ("", {"rules": [10**9]}, "invalid_body"),
        ("", {"rules": list(range(1, MAX_RULES + 2))}, "invalid_body"),
        ("", {"query": "model:gpt-4o"}, "invalid_body"),
        ("?verdict=nothing", {}, "invalid_parameter"),
        ("?q=size%3E", {}, "invalid_parameter"),
        ("?limit=3", {}, "unknown_parameter"),
    ],
)
def test_what_is_not_understood_is_refused(
    owner: Person, path: str, query: str, members: dict[str, Any], code: str
) -> None:
    add(owner)
    confirmed = {"confirm_captures": 0} if path == REDACTION else {}
    refused = owner.post(path + query, json.dumps({**confirmed, **members}).encode())
    assert (refused.status, refused.code) == (422, code)
    assert not Work.objects.exists()


def test_without_a_rule_there_is_nothing_to_try_and_nothing_to_do(owner: Person) -> None:
    for path, body in ((DRY_RUN, b"{}"), (REDACTION, b'{"confirm_captures":0}')):
        refused = owner.post(path, body)
        assert (refused.status, refused.code) == (409, "no_rules")


def test_a_key_has_only_so_much_searched(owner: Person, settings: Any) -> None:
    settings.READ_BYTES_PER_SECOND = 1
    add(owner)
    accept(owner)
    assert owner.post(DRY_RUN, b"{}").status == 200
    refused = owner.post(DRY_RUN, b"{}")
    assert (refused.status, refused.code) == (429, "too_much_to_read")
    assert int(refused.headers["Retry-After"]) > 0


# -- the job --------------------------------------------------------------------------------------


@pytest.mark.both_stacks
def test_all_of_a_query_is_redacted_once_its_number_is_confirmed(
    owner: Person, teammate: Person
) -> None:
    rule = add(owner, WORD_RULE).json["id"]
    hit = inspected(owner, SECRET)
    other = inspected(owner, CUT)
    query = f"{REDACTION}?verdict=complete"
    refused = owner.post(query, b'{"confirm_captures":2}')
    assert (refused.status, refused.code) == (409, "other_count")
    assert "1 captures match" in refused.json["error"]["message"]
    assert not Work.objects.exists()
    job = owner.post(query, b'{"confirm_captures":1}')
    assert (job.status, job.json["action"], job.json["total"]) == (202, "redact", 1)
    assert job.json["query"] == "q=verdict:complete"
    carry_out()
    done = teammate.get(f"{BULK}{job.json['id']}/").json
    assert (done["state"], done["done"], done["changed"], done["receipt"]) == (
        *("finished", 1, 1),
        None,
    )
    assert done["redacted"] == {"captures": 1, "passages": 1, "exports": 0, "left": 0}
    assert b"BETWEENUSALONE" not in everything()
    assert [owner.get(f"/api/v1/captures/{each}/").json["redactions"] for each in (hit, other)] == [
        *(1, 0)
    ]
    noted = AuditEntry.objects.get(act="captures_redacted")
    assert noted.on == f"rules {rule}, bulk job {job.json['id']}"


def test_a_job_applies_the_rules_that_it_names(owner: Person) -> None:
    mail = add(owner).json["id"]
    add(owner, WORD_RULE)
    inspected(owner, MAIL.replace(b"Hello", b"BETWEENUSALONE"))
    body = json.dumps({"confirm_captures": 1, "rules": [mail]}).encode()
    assert owner.post(REDACTION, body).status == 202
    carry_out()
    assert b"a@example.com" not in everything() and b"BETWEENUSALONE" in everything()


@pytest.mark.parametrize("body", [b"{}", b'{"confirm_captures":-1}', b'{"confirm_captures":"1"}'])
def test_a_job_without_a_number_is_refused(owner: Person, body: bytes) -> None:
    add(owner)
    assert owner.post(REDACTION, body).status == 422


def test_open_jobs_are_bounded(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    add(owner)
    monkeypatch.setattr(bulk_jobs, "MAX_OPEN_BULK_JOBS", 0)
    refused = owner.post(REDACTION, b'{"confirm_captures":0}')
    assert (refused.status, refused.code) == (429, "too_many_jobs")


def test_a_key_that_starts_a_job_stops_it(owner: Person) -> None:
    add(owner, WORD_RULE)
    inspected(owner, SECRET)
    key = with_scopes(owner, READ, DELETE)
    job = ask("POST", REDACTION, b'{"confirm_captures":1}', JSON, key).json["id"]
    stopped = ask("DELETE", f"{BULK}{job}/", headers=key)
    assert (stopped.status, stopped.json["state"], stopped.json["id"]) == (200, "stopped", job)
    carry_out()
    assert b"BETWEENUSALONE" in everything()
    again = ask("DELETE", f"{BULK}{job}/", headers=key)
    assert again.json == stopped.json


def test_nobody_else_stops_a_job(owner: Person, stranger: Person) -> None:
    add(owner, WORD_RULE)
    inspected(owner, SECRET)
    requested = owner.post(REDACTION, b'{"confirm_captures":1}').json
    job = f"{BULK}{requested['id']}/"
    assert stranger.ask("DELETE", job).status == 404
    for scopes, status in (((READ,), 403), ((INGEST, READ), 403), ((DELETE,), 404)):
        assert ask("DELETE", job, headers=with_scopes(owner, *scopes)).status == status
    assert owner.get(job).json["state"] == "open"
    carry_out()
    assert owner.ask("DELETE", job).json["state"] == "finished"
