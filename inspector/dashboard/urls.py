"""URLs of all pages."""

from django.urls import path

from inspector.dashboard.archive import facet_views, selection_views
from inspector.dashboard.archive import views as archive
from inspector.dashboard.capture import (
    annotation_views,
    choice_views,
    deletion_views,
    feedback_token_views,
    find_views,
    raw_part_views,
    trace_views,
)
from inspector.dashboard.capture import (
    views as capture,
)
from inspector.dashboard.compare import views as compare
from inspector.dashboard.feedback import settings_views
from inspector.dashboard.feedback import views as feedback
from inspector.dashboard.paste import views as paste
from inspector.dashboard.people import account_views, join_views, sign_in_views, team_views
from inspector.dashboard.prices import views as prices
from inspector.dashboard.status import views as status
from inspector.dashboard.usage import views as usage

app_name = "dashboard"

urlpatterns = [
    path("", archive.home, name="home"),
    path("sign-in/", sign_in_views.sign_in_with_password, name="sign-in"),
    path("sign-in/<str:token>/", sign_in_views.sign_in_with_link, name="sign-in-link"),
    path("sign-out/", sign_in_views.sign_out, name="sign-out"),
    path("join/<str:token>/", join_views.join, name="join"),
    path("account/", account_views.account, name="account"),
    path("account/name/", account_views.change_name, name="account-name"),
    path("account/password/", account_views.change_password, name="account-password"),
    path("account/sessions/end/", account_views.end_sessions, name="account-end-sessions"),
    path("t/<slug:team>/team/", team_views.team, name="team"),
    path("t/<slug:team>/team/name/", team_views.rename_team, name="team-name"),
    path("t/<slug:team>/team/audit/", team_views.audit, name="audit"),
    path("t/<slug:team>/team/leave/", team_views.leave_team, name="team-leave"),
    path(
        "t/<slug:team>/team/members/<int:member>/role/",
        team_views.change_member_role,
        name="member-role",
    ),
    path(
        "t/<slug:team>/team/members/<int:member>/remove/",
        team_views.remove_member,
        name="member-remove",
    ),
    path("t/<slug:team>/team/invitations/", team_views.invite_member, name="invite"),
    path(
        "t/<slug:team>/team/invitations/<int:invitation>/withdraw/",
        team_views.withdraw_invitation,
        name="invitation-withdraw",
    ),
    path("t/<slug:team>/team/keys/", team_views.create_key, name="new-key"),
    path("t/<slug:team>/team/keys/<int:key>/revoke/", team_views.revoke_key, name="key-revoke"),
    path("t/<slug:team>/captures/", archive.archive, name="archive"),
    path("t/<slug:team>/captures/live/", archive.live, name="live"),
    path("t/<slug:team>/captures/counts/", facet_views.facet_counts, name="counts"),
    path("t/<slug:team>/captures/tag/", selection_views.tag_selected, name="tag"),
    path("t/<slug:team>/captures/compare/", compare.compare_selected, name="compare-selected"),
    path("t/<slug:team>/usage/", usage.usage, name="usage"),
    path("t/<slug:team>/usage.csv", usage.download_csv, name="usage-table"),
    path("t/<slug:team>/usage.json", usage.download_json, name="usage-download"),
    path("t/<slug:team>/usage/prices/", prices.prices, name="prices"),
    path("t/<slug:team>/usage/prices/live/", prices.repricing_progress, name="prices-live"),
    path("t/<slug:team>/usage/prices/add/", prices.add_price, name="price-add"),
    path("t/<slug:team>/usage/prices/<int:price>/end/", prices.end_price, name="price-end"),
    path("t/<slug:team>/usage/prices/reprice/", prices.reprice, name="reprice"),
    path("t/<slug:team>/feedback/", feedback.feedback, name="feedback"),
    path("t/<slug:team>/feedback/live/", feedback.live, name="feedback-live"),
    path("t/<slug:team>/feedback/triage/", feedback.triage_selected, name="feedback-triage"),
    path("t/<slug:team>/feedback/<uuid:vote>/", feedback.vote_page, name="feedback-vote"),
    path(
        "t/<slug:team>/feedback/settings/",
        settings_views.feedback_settings,
        name="feedback-settings",
    ),
    path("t/<slug:team>/feedback/settings/sites/", settings_views.add_site, name="new-site"),
    path(
        "t/<slug:team>/feedback/settings/sites/<int:site>/remove/",
        settings_views.remove_site,
        name="site-remove",
    ),
    path(
        "t/<slug:team>/feedback/settings/keys/rotate/",
        settings_views.rotate_key,
        name="keys-rotate",
    ),
    path(
        "t/<slug:team>/feedback/settings/keys/revoke/",
        settings_views.revoke_keys,
        name="keys-revoke",
    ),
    path(
        "t/<slug:team>/feedback/settings/waiting/",
        settings_views.set_waiting_room,
        name="waiting-room",
    ),
    path(
        "t/<slug:team>/feedback/settings/waiting/forget/",
        settings_views.clear_waiting_room,
        name="waiting-forget",
    ),
    path("t/<slug:team>/status/", status.status, name="status"),
    path("t/<slug:team>/status/<uuid:capture_id>/retry/", status.retry_quarantined, name="retry"),
    path("paste/", paste.paste, name="paste"),
    path("t/<slug:team>/paste/", paste.store, name="paste-store"),
    path("captures/compare/", compare.compare, name="compare"),
    path("captures/<uuid:capture_id>/", capture.capture, name="capture"),
    path("captures/<uuid:capture_id>/panels/<slug:slug>/", capture.panel, name="panel"),
    path(
        "captures/<uuid:capture_id>/choices/<int:choice>/audio/", choice_views.audio, name="audio"
    ),
    path(
        "captures/<uuid:capture_id>/choices/<int:choice>/<slug:part>.txt",
        choice_views.text,
        name="text",
    ),
    path(
        "captures/<uuid:capture_id>/choices/<int:choice>/feedback-token/",
        feedback_token_views.issue_token,
        name="feedback-token",
    ),
    path(
        "captures/<uuid:capture_id>/choices/<int:choice>/feedback-token/revoke/",
        feedback_token_views.revoke_tokens,
        name="feedback-token-revoke",
    ),
    path("captures/<uuid:capture_id>/tags/", annotation_views.tags, name="tags"),
    path("captures/<uuid:capture_id>/note/", annotation_views.note, name="note"),
    path("captures/<uuid:capture_id>/delete/", deletion_views.delete_capture, name="delete"),
    path("captures/<uuid:capture_id>/find/", find_views.find, name="find"),
    path("captures/<uuid:capture_id>/state/", capture.state, name="state"),
    path("captures/<uuid:capture_id>/timeline.json", capture.timeline, name="timeline"),
    path("captures/<uuid:capture_id>/timeline/", capture.timeline_rows, name="timeline-rows"),
    path("captures/<uuid:capture_id>/trace/", trace_views.trace_characters, name="trace"),
    path("captures/<uuid:capture_id>/lines/", capture.raw_lines, name="lines"),
    path("captures/<uuid:capture_id>/raw/", capture.download_body, name="raw"),
    path("captures/<uuid:capture_id>/tree/", raw_part_views.tree_members, name="tree"),
    path("captures/<uuid:capture_id>/around/", raw_part_views.bytes_around, name="around"),
    path("captures/<uuid:capture_id>/request/", raw_part_views.request_body, name="request-body"),
]
