"""The app of sessions, under a label of its own: Django's sessions of people have that name."""

from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "inspector.sessions"
    label = "turns"
