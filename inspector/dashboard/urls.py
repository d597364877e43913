"""Every page."""

from django.urls import path

from inspector.dashboard.views import (
    account,
    annotation,
    archive,
    capture,
    choice,
    counts,
    find,
    join,
    paste,
    raw,
    selection,
    sign_in,
    status,
    team,
)

app_name = "dashboard"

urlpatterns = [
    path("", archive.home, name="home"),
    path("sign-in/", sign_in.with_password, name="sign-in"),
    path("sign-in/<str:token>/", sign_in.with_link, name="sign-in-link"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("join/<str:token>/", join.join, name="join"),
    path("account/", account.account, name="account"),
    path("account/name/", account.name, name="account-name"),
    path("account/password/", account.password, name="account-password"),
    path("account/sessions/end/", account.end_sessions, name="account-end-sessions"),
    path("t/<slug:team>/team/", team.team, name="team"),
    path("t/<slug:team>/team/name/", team.name, name="team-name"),
    path("t/<slug:team>/team/leave/", team.leave, name="team-leave"),
    path("t/<slug:team>/team/members/<int:member>/role/", team.member_role, name="member-role"),
    path(
        "t/<slug:team>/team/members/<int:member>/remove/", team.member_remove, name="member-remove"
    ),
    path("t/<slug:team>/team/invitations/", team.invite, name="invite"),
    path(
        "t/<slug:team>/team/invitations/<int:invitation>/withdraw/",
        team.invitation_withdraw,
        name="invitation-withdraw",
    ),
    path("t/<slug:team>/team/keys/", team.new_key, name="new-key"),
    path("t/<slug:team>/team/keys/<int:key>/revoke/", team.key_revoke, name="key-revoke"),
    path("t/<slug:team>/captures/", archive.archive, name="archive"),
    path("t/<slug:team>/captures/live/", archive.live, name="live"),
    path("t/<slug:team>/captures/counts/", counts.counts, name="counts"),
    path("t/<slug:team>/captures/tag/", selection.tag, name="tag"),
    path("t/<slug:team>/status/", status.status, name="status"),
    path("t/<slug:team>/status/<uuid:id>/retry/", status.retry_one, name="retry"),
    path("paste/", paste.paste, name="paste"),
    path("t/<slug:team>/paste/", paste.store, name="paste-store"),
    path("captures/<uuid:id>/", capture.capture, name="capture"),
    path("captures/<uuid:id>/panels/<slug:slug>/", capture.panel, name="panel"),
    path("captures/<uuid:id>/choices/<int:choice>/audio/", choice.audio, name="audio"),
    path("captures/<uuid:id>/choices/<int:choice>/<slug:part>.txt", choice.text, name="text"),
    path("captures/<uuid:id>/tags/", annotation.tags, name="tags"),
    path("captures/<uuid:id>/note/", annotation.note, name="note"),
    path("captures/<uuid:id>/find/", find.find, name="find"),
    path("captures/<uuid:id>/state/", capture.state, name="state"),
    path("captures/<uuid:id>/timeline.json", capture.timeline, name="timeline"),
    path("captures/<uuid:id>/timeline/", capture.timeline_rows, name="timeline-rows"),
    path("captures/<uuid:id>/lines/", capture.lines, name="lines"),
    path("captures/<uuid:id>/raw/", capture.raw, name="raw"),
    path("captures/<uuid:id>/tree/", raw.tree, name="tree"),
    path("captures/<uuid:id>/around/", raw.around, name="around"),
    path("captures/<uuid:id>/request/", raw.request_body, name="request-body"),
]
