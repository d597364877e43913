"""Errors that the person at the terminal can fix."""


class OperatorError(Exception):
    """One line that names the problem and, if there is one, the remedy."""
