"""Captures that one can be compared with, and where those like it are."""

from dataclasses import replace
from uuid import UUID

from inspector.archive.inspection.projection import MODEL_CHARACTERS
from inspector.archive.listing.same_prompt import SamePrompt
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.completion import Choice
from inspector.core.findings import Finding, Severity
from inspector.dashboard.capture.head.similar import (
    CaptureLink,
    SamePromptLinks,
    comparison_links,
    same_prompt_links,
    similar_capture_links,
)
from tests.dashboard.capture.samples import ID, PAGE, analysis, row

OLDER = UUID("01234567-89ab-7def-8123-000000000001")
NEWER = UUID("01234567-89ac-7def-8123-000000000002")
COMPARE = "/captures/compare/?"
ARCHIVE = "/t/default/captures/?"


def test_a_capture_is_compared_with_its_neighbours_the_earlier_one_first() -> None:
    assert comparison_links(replace(PAGE, newer=NEWER, older=OLDER)) == (
        CaptureLink("the one before it", f"{COMPARE}id={OLDER}&id={ID}"),
        CaptureLink("the one after it", f"{COMPARE}id={ID}&id={NEWER}"),
    )
    assert comparison_links(PAGE) == ()


def test_a_capture_is_compared_with_the_same_bytes_in_the_order_of_time() -> None:
    assert comparison_links(replace(PAGE, same_bytes_as=(NEWER, OLDER))) == (
        CaptureLink("000000000002, the same bytes", f"{COMPARE}id={ID}&id={NEWER}"),
        CaptureLink("000000000001, the same bytes", f"{COMPARE}id={OLDER}&id={ID}"),
    )


def test_a_capture_is_compared_with_itself_as_it_was_read_before_and_choice_by_choice() -> None:
    read = analysis(Choice(index=0), Choice(index=3))
    assert comparison_links(replace(PAGE, analysis=read, previous=PreviousAnalysis(2, (), 0))) == (
        CaptureLink("how version 2 read it", f"{COMPARE}id={ID}@previous&id={ID}"),
        CaptureLink("choice 0 with choice 3", f"{COMPARE}id={ID}.0&id={ID}.3"),
    )
    assert comparison_links(replace(PAGE, analysis=analysis(Choice(index=0)))) == ()


def test_other_captures_of_the_prompt_are_one_link_and_another_model_another() -> None:
    same = SamePrompt(4, True, ("seal-1", NEWER))
    found = same_prompt_links(replace(PAGE, prompt_sha256="ab12", same_prompt=same))
    compared = f"{COMPARE}id={ID}&id={NEWER}"
    assert found == SamePromptLinks(
        CaptureLink("4 others", f"{ARCHIVE}q=prompt:ab12"),
        CaptureLink("compare with seal-1", compared),
    )
    assert comparison_links(replace(PAGE, same_prompt=same))[0] == CaptureLink(
        "the same prompt, seal-1", compared
    )


def test_a_prompt_that_one_model_alone_answered_is_compared_with_nothing() -> None:
    found = same_prompt_links(
        replace(PAGE, prompt_sha256="ab12", same_prompt=SamePrompt(200, False))
    )
    assert found == SamePromptLinks(CaptureLink("over 200 others", f"{ARCHIVE}q=prompt:ab12"), None)
    assert same_prompt_links(replace(PAGE, same_prompt=SamePrompt(0, True))) is None
    assert same_prompt_links(PAGE) is None


def test_captures_like_this_have_its_model_its_verdict_and_its_worst_finding() -> None:
    findings = (
        Finding(code="a.little", severity=Severity.INFO, message="m"),
        Finding(code="a.lot", severity=Severity.ERROR, message="m"),
    )
    assert similar_capture_links(PAGE, findings) == (
        CaptureLink("model some-model", f"{ARCHIVE}model=some-model"),
        CaptureLink("verdict complete", f"{ARCHIVE}verdict=complete"),
        CaptureLink("finding a.lot", f"{ARCHIVE}finding=a.lot"),
        CaptureLink("all of these", f"{ARCHIVE}model=some-model&verdict=complete&finding=a.lot"),
    )


def test_what_nobody_knows_is_left_out() -> None:
    unread = replace(PAGE, row=row(model=None, verdict=None))
    assert similar_capture_links(unread, ()) == ()


def test_a_model_is_asked_for_by_all_that_is_kept_of_its_name() -> None:
    long = replace(PAGE, row=row(model="m" * MODEL_CHARACTERS))
    model, *_ = similar_capture_links(long, ())
    assert model.url == f"{ARCHIVE}model={'m' * MODEL_CHARACTERS}"
