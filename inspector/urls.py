from django.urls import include, path

from inspector.teams.route_check import require_declared

urlpatterns = [
    path("", include("api.urls")),
    path("", include("inspector.dashboard.urls")),
]

require_declared(urlpatterns)
