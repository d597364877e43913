from django.urls import path, re_path

from api import (
    admission,
    batch,
    captures,
    docs,
    drift,
    feedback,
    health,
    inspect,
    metrics,
    parts,
    root,
    usage,
    vote,
)

app_name = "api"

urlpatterns = [
    path("admission", admission.admission, name="admission"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("api/v1/", root.Root.as_view(), name="root"),
    path("api/v1/captures/", captures.CaptureCollection.as_view(), name="captures"),
    path("api/v1/captures/batch/", batch.CaptureBatch.as_view(), name="batch"),
    path("api/v1/captures/<str:id>/", captures.CaptureDetail.as_view(), name="capture"),
    path("api/v1/captures/<str:id>/raw/", parts.CaptureRaw.as_view(), name="raw"),
    path(
        "api/v1/captures/<str:id>/completion/",
        parts.CaptureCompletion.as_view(),
        name="completion",
    ),
    path("api/v1/captures/<str:id>/timeline/", parts.CaptureTimeline.as_view(), name="timeline"),
    path("api/v1/captures/<str:id>/findings/", parts.CaptureFindings.as_view(), name="findings"),
    path(
        "api/v1/captures/<str:id>/choices/<str:choice>/feedback-token/",
        feedback.FeedbackToken.as_view(),
        name="feedback-token",
    ),
    path("api/v1/feedback/", feedback.VoteCollection.as_view(), name="feedback"),
    path("api/v1/feedback/<str:vote>/", feedback.VoteDetail.as_view(), name="feedback-vote"),
    path("v1/feedback", vote.Vote.as_view(), name="vote"),
    path("t/<str:team>/v1/feedback", vote.TeamVote.as_view(), name="vote-of-team"),
    path("api/v1/inspect/", inspect.Inspect.as_view(), name="inspect"),
    path("api/v1/usage/", usage.Usage.as_view(), name="usage"),
    path("api/v1/usage/drift/", drift.Drift.as_view(), name="drift"),
    path("api/v1/usage/prices/", usage.Prices.as_view(), name="prices"),
    path("api/schema/", docs.schema, name="schema"),
    path("api/docs/", docs.docs, name="docs"),
    # Before any page's pattern and before any redirect to a path with a slash.
    re_path(r"^api(?:/.*)?$", root.nothing_here, name="nothing-here"),
]
