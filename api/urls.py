from django.urls import path, re_path

from api import captures, health, inspect, root

urlpatterns = [
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("api/v1/", root.Root.as_view()),
    path("api/v1/captures/", captures.CaptureCollection.as_view()),
    path("api/v1/captures/<str:id>/", captures.CaptureDetail.as_view()),
    path("api/v1/captures/<str:id>/raw/", captures.CaptureRaw.as_view()),
    path("api/v1/captures/<str:id>/completion/", captures.CaptureCompletion.as_view()),
    path("api/v1/captures/<str:id>/timeline/", captures.CaptureTimeline.as_view()),
    path("api/v1/captures/<str:id>/findings/", captures.CaptureFindings.as_view()),
    path("api/v1/inspect/", inspect.Inspect.as_view()),
    # Before any page's pattern and before any redirect to a path with a slash.
    re_path(r"^api(?:/.*)?$", root.nothing_here),
]
