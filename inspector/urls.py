from django.urls import include, path

from inspector.routes import require_declared

urlpatterns = [
    path("", include("api.urls")),
    path("", include("inspector.dashboard.urls")),
]

require_declared(urlpatterns)
