"""Every page."""

from django.urls import path

from inspector.dashboard.views import archive, capture, sign_in

app_name = "dashboard"

urlpatterns = [
    path("", archive.home, name="home"),
    path("sign-in/", sign_in.with_password, name="sign-in"),
    path("sign-in/<str:token>/", sign_in.with_link, name="sign-in-link"),
    path("sign-out/", sign_in.sign_out, name="sign-out"),
    path("t/<slug:team>/captures/", archive.archive, name="archive"),
    path("t/<slug:team>/captures/live/", archive.live, name="live"),
    path("captures/<uuid:id>/", capture.capture, name="capture"),
    path("captures/<uuid:id>/state/", capture.state, name="state"),
    path("captures/<uuid:id>/timeline.json", capture.timeline, name="timeline"),
    path("captures/<uuid:id>/timeline/", capture.timeline_rows, name="timeline-rows"),
    path("captures/<uuid:id>/lines/", capture.lines, name="lines"),
    path("captures/<uuid:id>/raw/", capture.raw, name="raw"),
]
