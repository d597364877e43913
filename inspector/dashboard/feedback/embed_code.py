"""Snippets that send a vote: an HTML form and a curl command."""

import json
import shlex

from django.conf import settings
from django.utils.html import escape

SCRIPT = "feedback/button.js"
"""Unhashed file name, because other sites embed it for longer than one release."""


def endpoint_of(team_slug: str) -> str:
    return f"{settings.ORIGIN}/t/{team_slug}/v1/feedback"


def vote_form(token: str, endpoint: str) -> str:
    """HTML form that votes without the script; the script only avoids leaving the page."""
    script = f"{settings.ORIGIN}{settings.STATIC_URL}{SCRIPT}"
    return (
        f'<form method="post" action="{escape(endpoint)}" data-feedback-token="{escape(token)}">\n'
        f'  <input type="hidden" name="feedback_token" value="{escape(token)}">\n'
        '  <button name="outcome" value="positive">Good answer</button>\n'
        '  <button name="outcome" value="negative">Bad answer</button>\n'
        "</form>\n"
        f'<script async src="{escape(script)}"></script>'
    )


def vote_command(token: str, address: str = '"$ISSUER/v1/feedback"') -> str:
    """curl command in the call shape of WorkflowAI's clients: no API key, the token authorises."""
    body = json.dumps({"feedback_token": token, "outcome": "positive"})
    return (
        f"curl -X POST {address} \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(body)}"
    )
