"""One vote: its own page, and what the team makes of it."""

from uuid import UUID

from inspector.core.completion import Block, BlockKind, Choice
from inspector.dashboard.feedback.vote_excerpt import build_excerpt
from inspector.feedback.queries import for_principal
from inspector.teams.models import Role
from tests.dashboard.feedback.test_feedback_page import PAGE, page, words
from tests.feedback.voting import UNSIGNED, carrying, token_for, voted
from tests.people import Person, make_person

TRIAGE = f"{PAGE}triage/"


def a_vote(person: Person, **more: str) -> UUID:
    return voted(person, token_for(person, carrying(person, None)), "negative", **more).id


def own_page(person: Person, vote: UUID) -> str:
    return words(page(person, path=f"{PAGE}{vote}/"))


def state(person: Person, vote: UUID) -> str:
    found = for_principal(person.principal).one(vote)
    assert found is not None
    return found.row.state


def test_it_says_all_there_is(owner: Person) -> None:
    capture_id = carrying(owner, UNSIGNED)
    voted(owner, UNSIGNED, "positive", comment="fine")
    vote = voted(owner, UNSIGNED, "negative", comment="not\nso fine", user_id="").id
    html = page(owner, path=f"{PAGE}{vote}/")
    told = words(html)
    assert "Negative. On choice 0 of an answer of gpt-4o , complete , by an unnamed user." in told
    assert "not\nso fine" in html
    assert f'href="/captures/{capture_id}/#choice-0"' in html and "answer 0" in told
    assert "Earlier votes" in told and "positive fine" in told
    assert "server without a key, unverified" in told
    assert "content of the token, unverified" in told and "run_id" in told


def test_a_step_of_triage_says_who_when_and_why(owner: Person, teammate: Person) -> None:
    vote = a_vote(owner)
    assert "Not triaged yet." in own_page(owner, vote)
    sent = {"vote": str(vote), "state": "incorrect", "note": "asked for euros", "from": "vote"}
    answer = teammate.browser().post(TRIAGE, sent)
    assert answer.headers["location"] == f"{PAGE}{vote}/"
    told = own_page(owner, vote)
    assert "Triage: incorrect" in told
    assert "incorrect by theo," in told and "asked for euros" in told


def test_several_are_triaged_at_once_from_the_list(owner: Person) -> None:
    votes = [a_vote(owner), a_vote(owner)]
    sent = {"vote": [str(vote) for vote in votes], "state": "resolved", "note": ""}
    answer = owner.browser().post(f"{TRIAGE}?outcome=negative", sent)
    assert answer.headers["location"] == f"{PAGE}?outcome=negative#votes"
    assert [state(owner, vote) for vote in votes] == ["resolved", "resolved"]


def test_with_scripts_the_rows_change_in_their_place(owner: Person) -> None:
    vote = a_vote(owner)
    sent = {"vote": str(vote), "state": "resolved"}
    answer = owner.browser().post(TRIAGE, sent, headers={"HX-Request": "true"})
    html = answer.content.decode()
    assert f'<tr id="vote-{vote}" hx-swap-oob="true"' in html and "1 vote resolved." in html
    assert "No vote was selected." in words(
        owner.browser()
        .post(TRIAGE, {"state": "open"}, headers={"HX-Request": "true"})
        .content.decode()
    )


def test_a_state_that_is_none_changes_nothing(owner: Person) -> None:
    vote = a_vote(owner)
    owner.browser().post(TRIAGE, {"vote": str(vote), "state": "deleted"})
    assert state(owner, vote) == "open"


def test_others_change_nothing(owner: Person, stranger: Person) -> None:
    vote = a_vote(owner)
    viewer = make_person("vera", "default", Role.VIEWER)
    own = "/t/elsewhere/feedback/triage/"
    assert stranger.browser().post(own, {"vote": str(vote), "state": "resolved"}).status_code == 404
    assert state(owner, vote) == "open"
    assert "Open again" not in own_page(viewer, vote) and "Resolved" not in own_page(viewer, vote)


def test_what_was_made_of_a_vote_stays_when_the_user_votes_again(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    token = token_for(owner, carrying(owner, None))
    first = voted(owner, token, "negative").id
    sent = {"vote": str(first), "state": "resolved", "note": "asked for euros"}
    assert teammate.browser().post(TRIAGE, sent).status_code == 302
    live = voted(owner, token, "positive").id
    before = page(owner, path=f"{PAGE}{first}/")
    assert "Superseded" in words(before) and f'href="{PAGE}{live}/"' in before
    assert "resolved by theo," in words(before) and "asked for euros" in before
    assert "Open again" not in before and "Earlier votes" not in before
    now = page(owner, path=f"{PAGE}{live}/")
    assert "Superseded" not in now and "Not triaged yet." in now
    assert f'href="{PAGE}{first}/"' in now
    assert "resolved by theo," in words(now) and "asked for euros" in now
    assert f'id="vote-{first}"' not in page(owner)
    assert stranger.browser().get(f"{PAGE}{first}/").status_code == 404
    assert owner.browser().post(TRIAGE, sent).status_code == 404


def test_an_answer_without_text_is_told_by_its_blocks() -> None:
    image = Block(kind=BlockKind.IMAGE, value={})
    ran = Block(kind=BlockKind.HOSTED, value={})
    assert build_excerpt(Choice(index=0, blocks=(ran, image, image))).why_none == (
        "No text: hosted, image."
    )
    assert build_excerpt(Choice(index=0)).why_none == "No text: not sent."
