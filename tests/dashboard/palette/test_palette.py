"""Finds of the palette: captures, saved views and filters of the team, and nothing of others."""

import re
from html import unescape
from uuid import UUID

from inspector.archive import saved_views
from inspector.archive.annotation import tag_all
from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import CUT, WHOLE, accept_arrival, inspect_all, inspected
from tests.markup import evened
from tests.people import Person

PALETTE, LIST = "/t/default/palette/", "/t/default/captures/"


def palette(person: Person, text: str, shown: str = "") -> str:
    answer = person.browser().get(PALETTE, {"q": text, "list": shown})
    assert answer.status_code == 200
    return evened(answer.content.decode())


def found(person: Person, text: str, shown: str = "") -> dict[str, list[tuple[str, str]]]:
    """By group: the words and the address of each entry."""
    groups = re.findall(r'data-group="(\w+)"(.*?)</div>', palette(person, text, shown), re.S)
    return {
        slug: [
            (unescape(words), unescape(href))
            for href, words in re.findall(
                r'<a href="([^"]*)"><span class="words[^"]*">(.*?)</span>', entries
            )
        ]
        for slug, entries in groups
    }


def path_of(capture_id: UUID) -> str:
    return f"/captures/{capture_id}/"


def test_an_id_its_beginning_and_a_key_lead_to_the_capture(owner: Person, stranger: Person) -> None:
    arrival = Submission(Exchange.of_body(WHOLE), idempotency_key="order-7731")
    capture_id = accept_arrival(owner, arrival).id
    inspect_all()
    for text in (str(capture_id), capture_id.hex, str(capture_id)[:13], "order-7731"):
        assert found(owner, text)["captures"] == [("gpt-4o, complete", path_of(capture_id))]
    inspected(stranger)
    theirs = stranger.browser().get(f"/t/{stranger.team.slug}/palette/", {"q": str(capture_id)})
    assert path_of(capture_id) not in theirs.content.decode()


def test_views_are_found_by_a_part_of_their_name(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    views = saved_views.for_principal(owner.principal)
    views.save("Empty answers", "result=empty", is_team=False)
    views.save("Not empty", "result=answered", is_team=True)
    theirs = ("Not empty", "/t/default/captures/?result=answered")
    assert found(owner, "EMPTY")["views"] == [
        ("Empty answers", "/t/default/captures/?result=empty"),
        theirs,
    ]
    assert found(teammate, "empty")["views"] == [theirs]
    assert found(owner, "")["views"] == found(owner, "empty")["views"]
    assert stranger.browser().get(PALETTE, {"q": "empty"}).status_code == 404


def test_filters_narrow_the_list_that_is_shown(owner: Person, stranger: Person) -> None:
    tag_all(owner.principal, [inspected(owner)], "refunds", add=True)
    tag_all(stranger.principal, [inspected(stranger)], "refunds of others", add=True)
    found_tags = found(owner, "refunds", "verdict=complete&before=x")["filters"]
    assert found_tags == [("tag:refunds", "/t/default/captures/?q=verdict:complete+tag:refunds")]
    assert found(owner, "refunds", "tag=refunds")["filters"] == [
        ("tag:refunds", "/t/default/captures/")
    ]


def test_values_are_offered_with_the_captures_that_have_them(
    owner: Person, stranger: Person
) -> None:
    for body in (WHOLE, WHOLE, CUT):
        inspected(owner, body)
    inspected(stranger, WHOLE.replace(b"gpt-4o", b"gpt-theirs"))
    assert found(owner, "gpt")["filters"] == [("model:gpt-4o", f"{LIST}?q=model:gpt-4o")]
    assert '<span class="aside">2 captures</span>' in palette(owner, "gpt")
    assert ("result:truncated", f"{LIST}?q=result:truncated") in found(owner, "trunc")["filters"]
    assert "filters" not in found(owner, "refused")


def test_words_that_stand_for_a_query_are_offered_as_it_where_it_finds_something(
    owner: Person,
) -> None:
    inspected(owner, CUT)
    asked = found(owner, "truncated last hour")["filters"]
    assert asked == [("result:truncated since:1h", f"{LIST}?q=result:truncated+since:1h")]
    assert "filters" not in found(owner, "refused last hour")


def test_pages_of_the_help_and_rules_are_found_by_their_titles(owner: Person) -> None:
    assert ("Redaction", "/docs/redaction/") in found(owner, "redaction")["help"]
    [(code, address)] = found(owner, "arguments-truncated")["rules"]
    assert (code, address) == ("tool.arguments-truncated", "/docs/rules/tool.arguments-truncated/")


def test_every_text_can_be_looked_for_in_the_archive(owner: Person) -> None:
    assert found(owner, "<b>&") == {"text": [("Find “<b>&”", "/t/default/captures/?q=%3Cb%3E%26")]}
    assert found(owner, "") == {}


def test_one_letter_looks_for_views_alone(owner: Person) -> None:
    inspected(owner)
    assert found(owner, "e").keys() == {"text"}
