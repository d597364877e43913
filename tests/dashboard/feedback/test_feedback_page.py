"""The page of votes: its sentence, drawing, groups and list."""

import re
from html import unescape
from uuid import UUID

import pytest

from inspector.feedback.queries import for_principal
from inspector.feedback.vote_fields import VOTE_FIELDS
from inspector.teams.models import Role
from tests.archive.samples import inspected
from tests.dashboard.test_hostile import HOSTILE_TEXTS, assert_inert
from tests.feedback.voting import UNSIGNED, body_of, carrying, token_for, voted
from tests.markup import evened, words
from tests.people import Person, make_person

PAGE = "/t/default/feedback/"


def page(person: Person, query: str = "", path: str = PAGE) -> str:
    return person.page(f"{path}{query}")


def rows(html: str) -> list[str]:
    body = html.split('<tbody id="rows">')[1].split("</tbody>")[0]
    return [words(row).strip() for row in body.split("</tr>")[:-1]]


def groups(html: str) -> list[str]:
    body = html.split('class="grid rates"')[1].split("<tbody>")[1].split("</tbody>")[0]
    return [words(row).strip() for row in body.split("</tr>")[:-1]]


def votes_on(person: Person, model: str, positive: int, negative: int) -> UUID:
    capture_id = carrying(person, None, model=model)
    token = token_for(person, capture_id)
    for number in range(positive + negative):
        outcome = "negative" if number < negative else "positive"
        voted(person, token, outcome, user_id=f"{model} {number}")
    return capture_id


def test_the_sentence_says_what_the_rate_is_of_and_how_sure_it_is(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 3)
    told = words(page(owner))
    assert "3 of 4 votes negative (75 %, likely 30 % to 95 %)." in told
    assert "Cast on 1 choice by 4 named users; 3 negative not triaged." in told


def test_what_the_numbers_are_not_of_is_said(owner: Person) -> None:
    carrying(owner, "fb_a_0", "fb_a_1")
    voted(owner, "fb_a_0")
    told = words(page(owner))
    assert "1 vote, none negative." in told
    assert "1 vote with tokens that cannot be verified" in told
    assert "votes on 1 of the 2 choices sent with a token" in told


def test_without_votes_the_page_says_how_there_could_be_some(owner: Person) -> None:
    told = words(page(owner))
    assert "No votes yet. Vote on a capture’s page" in told and "group by" not in told


def test_one_of_one_does_not_lead(owner: Person) -> None:
    votes_on(owner, "one", 0, 1)
    votes_on(owner, "bad", 3, 9)
    votes_on(owner, "good", 9, 0)
    assert groups(page(owner)) == [
        "bad 9 of 12 negative: between 47 % and 91 % 12",
        "one 1 of 1 negative: between 21 % and 100 % 1",
        "good 0 of 9 negative: between 0 % and 30 % 9",
    ]


def test_votes_are_grouped_by_what_they_are_on(owner: Person, subtests: pytest.Subtests) -> None:
    votes_on(owner, "gpt-4o", 1, 1)
    for by, name in [
        ("model", "gpt-4o"),
        ("finish_reason", "stop"),
        ("verdict", "complete"),
        ("tag", "none"),
    ]:
        with subtests.test(by=by, name=name):
            html = page(owner, f"?by={by}")
            assert groups(html) == [f"{name} 1 of 2 negative: between 9 % and 91 % 2"]


def test_every_column_and_group_leads_to_its_votes(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 1)
    for by in ("model", "verdict"):
        html = page(owner, f"?by={by}&range=24h")
        links = re.findall(rf'href="{PAGE}(\?[^"#]*since=[^"#]+)#votes"', html)
        assert links
        told = [len(rows(page(owner, unescape(link)))) for link in dict.fromkeys(links)]
        # The hour and the group have both votes, and hours without any lead nowhere.
        assert set(told) == {2}


def test_a_column_narrows_the_list_and_leaves_the_drawing(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 1)
    html = page(owner)
    (today,) = re.findall(rf'<td><a href="{PAGE}(\?[^"#]+)#votes"', html)
    narrowed = page(owner, unescape(today))
    assert "Votes per day" in words(narrowed) and len(rows(narrowed)) == 2
    assert groups(narrowed) == groups(html)


def test_the_drawing_has_its_table(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 2, 1)
    assert re.search(r": 3 \(negative 1, positive 2\)", words(page(owner)))


def test_a_line_leads_to_the_exact_choice(owner: Person) -> None:
    capture_id = carrying(owner, None, None)
    voted(
        owner,
        token_for(owner, capture_id, 1),
        "negative",
        comment="two\nlines  of it",
        user_id="ann",
    )
    html = page(owner)
    assert f'href="/captures/{capture_id}/#choice-1"' in html
    (row,) = rows(html)
    assert re.fullmatch(
        r"\S+( \w+)? negative two lines of it gpt-4o complete ann verified open", row
    )


def test_the_list_is_narrowed_by_the_words_of_the_api(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 2, 1)
    votes_on(owner, "other", 1, 1)
    assert len(rows(page(owner, "?outcome=negative"))) == 2
    assert len(rows(page(owner, "?outcome=negative&model=other"))) == 1
    assert len(rows(page(owner, "?state=resolved"))) == 0
    assert len(rows(page(owner, "?user=gpt-4o+0&verified=yes&comment=no"))) == 1
    assert "colour is no filter; this filter was ignored." in words(page(owner, "?colour=red"))


def test_a_form_with_empty_fields_is_the_address_without_them(owner: Person) -> None:
    response = owner.browser().get(f"{PAGE}?outcome=negative&model=&since=")
    assert response.headers["location"] == f"{PAGE}?outcome=negative"


def test_pages_go_by_a_cursor(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 60, 0)
    first = page(owner)
    (older,) = re.findall(r'rel="next" href="([^"#]+)', first)
    second = page(owner, unescape(older))
    assert (len(rows(first)), len(rows(second))) == (50, 10)
    ids = re.findall(r'<tr id="vote-([^"]+)', first + second)
    assert len(set(ids)) == 60
    assert 'id="live"' in first and 'id="live"' not in second
    assert owner.browser().get(f"{PAGE}?before=nonsense").status_code == 404


def test_what_comes_while_the_page_is_open_is_fetched(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    voted(owner, token, "negative")
    (poll,) = re.findall(r'<div id="live" hx-get="([^"]+)"', evened(page(owner)))
    seen = re.findall(r'name="exclude" value="([^"]+)"', page(owner))
    asked = f"{unescape(poll)}&{'&'.join(f'exclude={vote_id}' for vote_id in seen)}"
    assert 'class="new"' not in page(owner, path=asked)
    new = voted(owner, token, "positive", user_id="ann").id
    came = page(owner, path=asked)
    assert f'<tr id="vote-{new}" class="new"' in came
    held = page(owner, path=f"{asked}&paused=1")
    assert "1 newer" in words(held) and 'class="new"' not in held


@pytest.mark.thorough
def test_all_that_a_page_names_is_not_told_again(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    voted(owner, token)
    (poll,) = re.findall(r'<div id="live" hx-get="([^"]+)"', evened(page(owner)))
    seen = [voted(owner, token, user_id=f"user {number}").id for number in range(110)]
    first = for_principal(owner.principal).page(limit=200).rows[-1].id
    asked = f"{unescape(poll)}&{'&'.join(f'exclude={vote_id.hex}' for vote_id in [*seen, first])}"
    assert "<tr" not in page(owner, path=asked)


def test_the_first_vote_draws_the_whole_page(owner: Person) -> None:
    (poll,) = re.findall(r'<div id="live" hx-get="([^"]+)"', evened(page(owner)))
    assert "HX-Refresh" not in owner.browser().get(unescape(poll)).headers
    votes_on(owner, "gpt-4o", 1, 0)
    assert owner.browser().get(unescape(poll)).headers["HX-Refresh"] == "true"


def test_of_many_groups_the_others_are_folded(owner: Person) -> None:
    for number in range(10):
        votes_on(owner, f"model {number}", 1, 0)
    html = page(owner)
    assert len(groups(html)) == 8 and "2 more" in words(html)


def test_votes_of_two_hosts_and_users_stand_beside_each_other(owner: Person) -> None:
    capture_id = carrying(owner, UNSIGNED)
    voted(owner, UNSIGNED, user_id="ann")
    voted(owner, token_for(owner, capture_id), user_id="ann")
    assert [row.token_kind for row in for_principal(owner.principal).page().rows] == [
        "own",
        "unsigned",
    ]
    assert "unverified" in rows(page(owner))[1]


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_words_are_inert_wherever_votes_are_shown(text: str, owner: Person) -> None:
    readable = text.encode("utf-8", "replace").decode().replace("\0", "")
    capture_id = carrying(owner, None, model=readable)
    said = f"{readable} {'x' * 5_000} '; DROP TABLE feedback_vote; --"
    token = token_for(owner, capture_id)
    voted(owner, token, "positive", comment=f"{said} before", user_id=readable[:200])
    vote = voted(owner, token, "negative", comment=said, user_id=readable[:200]).id
    for path in (
        *(PAGE, f"{PAGE}?by=model", f"{PAGE}{vote}/", f"{PAGE}?comment=yes"),
        *(f"/captures/{capture_id}/", "/t/default/usage/"),
    ):
        assert_inert(page(owner, path=path))
    assert len(rows(page(owner))) == 1


def test_votes_stand_beside_usage_and_lead_to_those_of_their_group(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 3)
    votes_on(owner, "claude-sonnet-4-5", 1, 0)
    html = page(owner, "?by=model", "/t/default/usage/")
    links = dict(re.findall(rf'href="({PAGE}[^"]+)#votes">([^<]+)<', html))
    assert sorted(links.values()) == ["0 of 1", "3 of 4"]
    for link, said in links.items():
        assert len(rows(page(owner, path=unescape(link)))) == int(said[-1])


# Of the vendor none is known here.
def test_votes_of_a_group_that_they_cannot_be_narrowed_by_lead_nowhere(
    owner: Person, subtests: pytest.Subtests
) -> None:
    votes_on(owner, "gpt-4o", 1, 3)
    for by in ["key", "dialect", "request_model", "vendor"]:
        with subtests.test(by=by):
            html = page(owner, f"?by={by}", "/t/default/usage/")
            assert "3 of 4 30 % to 95 %" in words(html)
            assert "#votes" not in html


def test_a_grouping_that_votes_are_not_summed_by_has_none_beside_usage(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 3)
    assert " of 4 " not in words(page(owner, "?by=service_tier", "/t/default/usage/"))


def test_who_may_look(owner: Person, teammate: Person, stranger: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 1)
    viewer = make_person("vera", "default", Role.VIEWER)
    for person in (owner, teammate, viewer):
        html = page(person)
        assert len(rows(html)) == 2
        assert ('name="state" value="resolved"' in html) is (person is not viewer)
        assert ("Sites and keys" in html) is (person is owner)
    for path in (PAGE, f"{PAGE}live/?after=0-{'0' * 32}"):
        assert stranger.browser().get(path).status_code == 404


def test_a_refused_time_is_said_below_the_box(owner: Person) -> None:
    votes_on(owner, "gpt-4o", 1, 0)
    html = page(owner, "?until=last+week")
    assert html.count('aria-invalid="true" aria-describedby="mistakes"') == 1
    assert "until is not" in words(html) and "this filter was ignored." in words(html)


def offered(person: Person, text: str) -> list[tuple[str, str]]:
    answer = person.browser().get(f"{PAGE}complete/", {"q": text, "at": str(len(text))})
    option = r'data-text="([^"]*)".*?<span class="num">(.*?)</span>'
    found = re.findall(option, evened(answer.content.decode()))
    return [(unescape(value), number) for value, number in found]


def test_the_box_offers_fields_of_votes_and_the_values_that_votes_have(
    owner: Person, stranger: Person
) -> None:
    votes_on(owner, "gpt-4o", 1, 2)
    votes_on(owner, "o3", 1, 0)
    votes_on(stranger, "theirs", 1, 0)
    assert offered(owner, "mod") == [("model:", "")]
    assert offered(owner, "outcome:negative model:") == [("gpt-4o", "2")]
    assert offered(owner, "model:") == [("gpt-4o", "3"), ("o3", "1")]
    assert offered(owner, "outcome:") == [("positive", "2"), ("negative", "2")]
    assert offered(owner, "comment:") == [("no", "4")]
    assert offered(owner, "verified:y") == [("yes", "4")]
    assert offered(owner, "finish_reason:") == [("stop", "4")]
    assert offered(owner, 'user:"o3') == [('"o3 0"', "1")]
    assert offered(owner, "state:res") == []
    assert offered(stranger, "model:g") == []


def test_the_box_offers_something_for_each_field_that_is_no_id_and_no_vote_lacks(
    owner: Person,
) -> None:
    votes_on(owner, "gpt-4o", 1, 0)
    silent = {each.name for each in VOTE_FIELDS if not offered(owner, f"{each.name}:")}
    assert silent == {"capture", "choice", "tag"}


def test_a_vote_on_an_empty_answer_shows_that_and_is_found_by_it(owner: Person) -> None:
    empty = body_of(None).replace(b"answer 0", b"")
    voted(owner, token_for(owner, inspected(owner, empty)))
    votes_on(owner, "gpt-4o", 1, 0)
    (found,) = rows(page(owner, "?result=empty"))
    assert "complete, empty" in found
    assert len(rows(page(owner, "?result=answered"))) == 1
    assert offered(owner, "result:em") == [("empty", "1")]
