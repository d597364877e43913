"""The head of a capture's page: what came, where it stands, what it may be compared with."""

from collections.abc import Mapping
from typing import Any

from inspector.archive import queries
from inspector.dashboard.archive.filter_bar import filter_bar_of_query
from inspector.dashboard.archive.list_position import find_list_position
from inspector.dashboard.capture.head.siblings import sibling_strips
from inspector.dashboard.capture.head.similar import (
    comparison_links,
    similar_capture_links,
)
from inspector.dashboard.capture.head.summary import capture_summary
from inspector.dashboard.capture.page.part import Part, Visit
from inspector.dashboard.capture.recording.summary import recording_summary
from inspector.dashboard.text.reinspection import reinspection_changes
from inspector.formatting.redaction_mark import redaction_sentence
from inspector.formatting.removal import removed_from_bodies


def _summary(visit: Visit) -> Mapping[str, Any]:
    view, facts = visit.view, visit.view.facts
    return {
        "summary": recording_summary(view) if facts.is_recording else capture_summary(view),
        "reread": reinspection_changes(facts),
        "overwritten": removed_from_bodies(facts.removal),
        "redacted": redaction_sentence(facts.redaction, tells_rules=facts.share is None),
    }


def _place(visit: Visit) -> Mapping[str, Any]:
    principal, facts = visit.principal, visit.view.facts
    team = principal.team(facts.team_slug)
    return {
        "team": facts.team_slug,
        "team_name": team.name if team else facts.team_name,
        "teams": principal.teams,
        "list_position": find_list_position(
            queries.for_principal(principal), visit.view.id, filter_bar_of_query(visit.list_query)
        ),
    }


def _links(visit: Visit) -> Mapping[str, Any]:
    facts = visit.view.facts
    return {
        "beside": comparison_links(facts),
        "like_this": similar_capture_links(facts, visit.view.findings),
    }


def _correlated(visit: Visit) -> Mapping[str, Any]:
    facts = visit.view.facts
    strips = () if facts.is_recording else sibling_strips(facts)
    return {"correlated": strips} if strips else {}


SUMMARY = Part(_summary, is_shared=True)
PLACE = Part(_place)
LINKS = Part(_links)
CORRELATED = Part(_correlated, "dashboard/capture/siblings.html")
