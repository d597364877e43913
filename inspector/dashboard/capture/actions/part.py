"""Actions on the capture that a page shows."""

from collections.abc import Mapping
from typing import Any

from inspector.dashboard.capture.actions.forms import NoteForm, TagsForm
from inspector.dashboard.capture.page.part import Part, Visit
from inspector.dashboard.sharing.forms import ShareForm
from inspector.teams.access import DELETE, EXPORT, INGEST


def _actions(visit: Visit) -> Mapping[str, Any]:
    view = visit.view
    team = visit.principal.team(view.facts.team_slug)
    return {
        "may_annotate": team is not None and INGEST in team.scopes,
        "may_delete": team is not None and DELETE in team.scopes,
        "may_share": team is not None and EXPORT in team.scopes,
        "share_form": ShareForm(),
        "tags_form": TagsForm(initial={"tags": "\n".join(view.row.tags)}),
        "note_form": NoteForm(initial={"note": view.facts.note}),
    }


ACTIONS = Part(_actions)
