from django.urls import path, re_path

from api import (
    admission,
    batch,
    capture_parts,
    captures,
    docs,
    drift,
    feedback,
    health,
    inspection,
    metrics,
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
    path("api/v1/", root.RootEndpoint.as_view(), name="root"),
    path("api/v1/captures/", captures.CaptureCollection.as_view(), name="captures"),
    path("api/v1/captures/batch/", batch.CaptureBatch.as_view(), name="batch"),
    path("api/v1/captures/<str:capture_id>/", captures.CaptureDetail.as_view(), name="capture"),
    path("api/v1/captures/<str:capture_id>/raw/", capture_parts.CaptureRaw.as_view(), name="raw"),
    path(
        "api/v1/captures/<str:capture_id>/completion/",
        capture_parts.CaptureCompletion.as_view(),
        name="completion",
    ),
    path(
        "api/v1/captures/<str:capture_id>/timeline/",
        capture_parts.CaptureTimeline.as_view(),
        name="timeline",
    ),
    path(
        "api/v1/captures/<str:capture_id>/findings/",
        capture_parts.CaptureFindings.as_view(),
        name="findings",
    ),
    path(
        "api/v1/captures/<str:capture_id>/choices/<str:choice>/feedback-token/",
        feedback.FeedbackTokenEndpoint.as_view(),
        name="feedback-token",
    ),
    path("api/v1/feedback/", feedback.VoteCollection.as_view(), name="feedback"),
    path("api/v1/feedback/<str:vote>/", feedback.VoteDetail.as_view(), name="feedback-vote"),
    path("v1/feedback", vote.VoteEndpoint.as_view(), name="vote"),
    path("t/<str:team>/v1/feedback", vote.TeamVoteEndpoint.as_view(), name="vote-of-team"),
    path("api/v1/inspect/", inspection.InspectEndpoint.as_view(), name="inspect"),
    path("api/v1/usage/", usage.UsageEndpoint.as_view(), name="usage"),
    path("api/v1/usage/drift/", drift.DriftEndpoint.as_view(), name="drift"),
    path("api/v1/usage/prices/", usage.PricesEndpoint.as_view(), name="prices"),
    path("api/schema/", docs.openapi_document, name="schema"),
    path("api/docs/", docs.docs_page, name="docs"),
    # Before any page's pattern and before any redirect to a path with a slash.
    re_path(r"^api(?:/.*)?$", root.not_found_page, name="nothing-here"),
]
