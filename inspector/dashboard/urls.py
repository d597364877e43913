"""URLs of all pages."""

from django.urls import include, path

from inspector.teams.lazy_views import LazyViews

bulk = LazyViews("inspector.dashboard.archive.bulk_views")
completion_views = LazyViews("inspector.dashboard.archive.completion_views")
picked_views = LazyViews("inspector.dashboard.archive.picked_views")
saved = LazyViews("inspector.dashboard.archive.saved_view_pages")
archive = LazyViews("inspector.dashboard.archive.views")
actions = LazyViews("inspector.dashboard.capture.actions.views")
choice_views = LazyViews("inspector.dashboard.capture.choice_views")
fixture_views = LazyViews("inspector.dashboard.capture.fixture_views")
part_views = LazyViews("inspector.dashboard.capture.part_views")
capture = LazyViews("inspector.dashboard.capture.views")
token_views = LazyViews("inspector.dashboard.capture.feedback.token_views")
recording = LazyViews("inspector.dashboard.capture.recording.views")
timeline = LazyViews("inspector.dashboard.capture.timeline.views")
compare = LazyViews("inspector.dashboard.compare.views")
connect = LazyViews("inspector.dashboard.connect.views")
documentation = LazyViews("inspector.dashboard.documentation.views")
exports = LazyViews("inspector.dashboard.exports.views")
settings_views = LazyViews("inspector.dashboard.feedback.settings_views")
feedback = LazyViews("inspector.dashboard.feedback.views")
palette = LazyViews("inspector.dashboard.palette.views")
paste = LazyViews("inspector.dashboard.paste.views")
account_views = LazyViews("inspector.dashboard.people.account_views")
audit_views = LazyViews("inspector.dashboard.people.audit_views")
sign_in_views = LazyViews("inspector.dashboard.people.sign_in_views")
team_views = LazyViews("inspector.dashboard.people.team_views")
prices = LazyViews("inspector.dashboard.prices.views")
redaction = LazyViews("inspector.dashboard.redaction.views")
receipt_views = LazyViews("inspector.dashboard.retention.receipt_views")
retention = LazyViews("inspector.dashboard.retention.views")
sessions = LazyViews("inspector.dashboard.sessions.views")
sharing = LazyViews("inspector.dashboard.sharing.views")
visitors = LazyViews("inspector.dashboard.sharing.visitor_views")
status = LazyViews("inspector.dashboard.status.views")
upstreams = LazyViews("inspector.dashboard.upstreams.views")
usage = LazyViews("inspector.dashboard.usage.views")

app_name = "dashboard"

of_team = [
    path("team/", team_views.team, name="team"),
    path("team/name/", team_views.rename_team, name="team-name"),
    path("team/audit/", audit_views.audit, name="audit"),
    path("team/audit.jsonl", audit_views.audit_file, name="audit-file"),
    path("team/audit/settings/", audit_views.audit_settings, name="audit-settings"),
    path("team/leave/", team_views.leave_team, name="team-leave"),
    path("team/members/<int:member>/role/", team_views.change_member_role, name="member-role"),
    path("team/members/<int:member>/remove/", team_views.remove_member, name="member-remove"),
    path("team/invitations/", team_views.invite_member, name="invite"),
    path(
        "team/invitations/<int:invitation>/withdraw/",
        team_views.withdraw_invitation,
        name="invitation-withdraw",
    ),
    path("team/keys/", team_views.create_key, name="new-key"),
    path("team/keys/<int:key>/arrival/", connect.key_arrival, name="key-arrival"),
    path("team/keys/<int:key>/revoke/", team_views.revoke_key, name="key-revoke"),
    path("team/keys/<int:key>/pause/", team_views.pause_key, name="key-pause"),
    path("team/keys/<int:key>/streams/", team_views.limit_key, name="key-streams"),
    path("connect/", connect.connect, name="connect"),
    path("connect/key/", connect.make_service_key, name="connect-key"),
    path("upstreams/", upstreams.upstreams, name="upstreams"),
    path("upstreams/add/", upstreams.add_upstream, name="upstream-add"),
    path("upstreams/add/resource/", upstreams.add_resource, name="upstream-resource"),
    path("upstreams/of/<slug:upstream>/", upstreams.change_upstream, name="upstream-change"),
    path("upstreams/of/<slug:upstream>/turn/", upstreams.turn_upstream, name="upstream-turn"),
    path("upstreams/of/<slug:upstream>/remove/", upstreams.remove_upstream, name="upstream-remove"),
    path("captures/", archive.archive, name="archive"),
    path("captures/live/", archive.live, name="live"),
    path("captures/samples/", archive.load_samples, name="samples"),
    path("captures/counts/", archive.facet_counts, name="counts"),
    path("captures/complete/", completion_views.complete, name="complete"),
    path("captures/tag/", archive.tag_selected, name="tag"),
    path("captures/bulk/", bulk.bulk_list, name="bulk"),
    path("captures/bulk/deletion/", bulk.bulk_deletion, name="bulk-deletion"),
    path("captures/bulk/count/", bulk.bulk_count, name="bulk-count"),
    path("captures/bulk/<int:job>/", bulk.bulk_job, name="bulk-job"),
    path("captures/bulk/<int:job>/undo/", bulk.undo_bulk_job, name="bulk-undo"),
    path("exports/", exports.export_list, name="exports"),
    path("exports/new/", exports.request_export, name="export-request"),
    path("exports/<int:export>/file/", exports.download, name="export-file"),
    path("exports/<int:export>/delete/", exports.delete_export, name="export-delete"),
    path("shares/", sharing.team_shares, name="shares"),
    path("shares/new/", sharing.share_list, name="share-list"),
    path("shares/<int:share>/revoke/", sharing.revoke_share, name="share-revoke"),
    path("redaction/", redaction.redaction, name="redaction"),
    path("redaction/add/", redaction.add_redaction_rule, name="redaction-add"),
    path("redaction/try/", redaction.try_redaction, name="redaction-try"),
    path("redaction/apply/", redaction.apply_redaction, name="redaction-apply"),
    path(
        "redaction/rules/<int:redaction>/turn/",
        redaction.turn_redaction_rule,
        name="redaction-turn",
    ),
    path(
        "redaction/rules/<int:redaction>/remove/",
        redaction.remove_redaction_rule,
        name="redaction-remove",
    ),
    path("retention/", retention.retention, name="retention"),
    path("retention/add/", retention.add_rule, name="retention-add"),
    path("retention/rules/<int:rule>/turn/", retention.turn_rule, name="retention-turn"),
    path("retention/rules/<int:rule>/remove/", retention.remove_rule, name="retention-remove"),
    path("retention/receipts/", receipt_views.deleted_captures, name="receipts"),
    path("palette/", palette.palette, name="palette"),
    path("views/", saved.views, name="views"),
    path("views/tabs/", saved.view_tabs, name="view-tabs"),
    path("views/save/", saved.save_view, name="view-save"),
    path("views/<int:view>/rename/", saved.rename_view, name="view-rename"),
    path("views/<int:view>/share/", saved.share_view, name="view-share"),
    path("views/<int:view>/delete/", saved.delete_view, name="view-delete"),
    path("captures/picked/", picked_views.act_on_picked, name="picked"),
    path("captures/compare/", compare.compare_selected, name="compare-selected"),
    path("sessions/", sessions.sessions, name="sessions"),
    path("sessions/<uuid:session>/", sessions.session, name="session"),
    path("usage/", usage.usage, name="usage"),
    path("usage.csv", usage.download_csv, name="usage-table"),
    path("usage.json", usage.download_json, name="usage-download"),
    path("usage/prices/", prices.prices, name="prices"),
    path("usage/prices/live/", prices.repricing_progress, name="prices-live"),
    path("usage/prices/add/", prices.add_price, name="price-add"),
    path("usage/prices/<int:price>/end/", prices.end_price, name="price-end"),
    path("usage/prices/reprice/", prices.reprice, name="reprice"),
    path("feedback/", feedback.feedback, name="feedback"),
    path("feedback/complete/", feedback.complete, name="feedback-complete"),
    path("feedback/live/", feedback.live, name="feedback-live"),
    path("feedback/triage/", feedback.triage_selected, name="feedback-triage"),
    path("feedback/<uuid:vote>/", feedback.vote_page, name="feedback-vote"),
    path("feedback/settings/", settings_views.feedback_settings, name="feedback-settings"),
    path("feedback/settings/sites/", settings_views.add_site, name="new-site"),
    path(
        "feedback/settings/sites/<int:site>/remove/", settings_views.remove_site, name="site-remove"
    ),
    path("feedback/settings/keys/rotate/", settings_views.rotate_key, name="keys-rotate"),
    path("feedback/settings/keys/revoke/", settings_views.revoke_keys, name="keys-revoke"),
    path("status/", status.status, name="status"),
    path("status/<uuid:capture_id>/retry/", status.retry_quarantined, name="retry"),
    path("paste/", paste.store, name="paste-store"),
]
of_capture = [
    path("", capture.capture, name="capture"),
    path("panels/<slug:slug>/", capture.panel, name="panel"),
    path("choices/<int:choice>/audio/", choice_views.audio, name="audio"),
    path(
        "choices/<int:choice>/blocks/<int:block>/audio/",
        choice_views.block_audio,
        name="block-audio",
    ),
    path(
        "choices/<int:choice>/blocks/<int:image>/image/",
        choice_views.block_image,
        name="block-image",
    ),
    path("choices/<int:choice>/<slug:part>.txt", choice_views.text, name="text"),
    path("choices/<int:choice>/feedback-token/", token_views.issue_token, name="feedback-token"),
    path("choices/<int:choice>/vote/", token_views.vote, name="vote"),
    path(
        "choices/<int:choice>/feedback-token/revoke/",
        token_views.revoke_tokens,
        name="feedback-token-revoke",
    ),
    path("tags/", actions.tags, name="tags"),
    path("note/", actions.note, name="note"),
    path("delete/", actions.delete_capture, name="delete"),
    path("find/", part_views.find, name="find"),
    path("state/", recording.state, name="state"),
    path("growth/", recording.growth, name="growth"),
    path("timeline.json", timeline.timeline, name="timeline"),
    path("timeline/", timeline.timeline_rows, name="timeline-rows"),
    path("trace/", part_views.trace_characters, name="trace"),
    path("lines/", part_views.raw_lines, name="lines"),
    path("raw/", capture.download_body, name="raw"),
    path("fixtures/<slug:kind>/", fixture_views.fixture, name="fixture"),
    path("session/", sessions.session_of_capture, name="session-of-capture"),
    path("shares/", sharing.capture_shares, name="capture-shares"),
    path("tree/", part_views.tree_members, name="tree"),
    path("around/", part_views.bytes_around, name="around"),
    path("request/", part_views.request_body, name="request-body"),
]
urlpatterns = [
    path("", archive.home, name="home"),
    path("sign-in/", sign_in_views.sign_in_with_password, name="sign-in"),
    path("sign-in/<str:token>/", sign_in_views.sign_in_with_link, name="sign-in-link"),
    path("sign-out/", sign_in_views.sign_out, name="sign-out"),
    path("join/<str:token>/", sign_in_views.join, name="join"),
    path("docs/", documentation.docs, name="docs"),
    path("docs/<path:name>/", documentation.doc, name="doc"),
    path("shared/<str:token>/", visitors.shared, name="shared"),
    path("shared/<str:token>/<path:path>", visitors.shared_page, name="shared-page"),
    path("account/", account_views.account, name="account"),
    path("account/name/", account_views.change_name, name="account-name"),
    path("account/password/", account_views.change_password, name="account-password"),
    path("account/sessions/end/", account_views.end_sessions, name="account-end-sessions"),
    path("clients/page/<str:module>", connect.browser_file, name="browser-file"),
    path("clients/<str:file_name>", connect.client_package, name="client-package"),
    path("paste/", paste.paste, name="paste"),
    path("captures/compare/", compare.compare, name="compare"),
    path("t/<slug:team>/", include(of_team)),
    path("captures/<uuid:capture_id>/", include(of_capture)),
]
