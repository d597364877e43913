"""The error of a command that whoever typed it can mend."""


class OperatorError(Exception):
    """One line that names the problem and, if there is one, the remedy."""
