from django.urls import include, path

from api.operations import ENDPOINTS
from inspector.dashboard.server_error import server_error
from inspector.teams.authorisation import declare_rows
from inspector.teams.route_check import require_declared

urlpatterns = [
    path("", include("api.urls")),
    path("", include("inspector.dashboard.urls")),
]

handler500 = server_error

declare_rows(endpoint.row for endpoint in ENDPOINTS)
require_declared(urlpatterns)
