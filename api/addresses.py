"""Addresses that responses refer to."""

from uuid import UUID

from django.conf import settings

V1 = "api/v1/"
"""Beginning of the paths of this version."""


def capture_url(capture_id: UUID) -> str:
    return f"{settings.ORIGIN}/{V1}captures/{capture_id}/"


def span_upload_url(upload_id: int) -> str:
    return f"{settings.ORIGIN}/{V1}uploads/spans/{upload_id}/"


def file_upload_url(upload_id: int) -> str:
    return f"{settings.ORIGIN}/{V1}uploads/files/{upload_id}/"


def page_url(capture_id: UUID) -> str:
    return f"{settings.ORIGIN}/captures/{capture_id}/"


def list_url(team: str, query: str) -> str:
    return f"{settings.ORIGIN}/t/{team}/captures/" + (f"?{query}" if query else "")
