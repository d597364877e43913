"""The address of the Model Context Protocol, and its row of the authorisation table."""

from django.urls import path

from inspector.teams.access import READ
from inspector.teams.authorisation import AuthMethod, AuthorisationRow
from inspector.teams.lazy_views import LazyViews

app_name = "mcp"
endpoint = LazyViews("inspector.mcp.endpoint")

ROW = AuthorisationRow("mcp:messages", AuthMethod.KEY, {"POST": READ})
urlpatterns = [path("mcp", endpoint.McpEndpoint, name="messages")]
