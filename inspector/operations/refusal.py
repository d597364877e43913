"""What a person at the terminal must change before a command can do its work."""


class Refusal(Exception):
    """One line that names the trouble and, where there is one, the way out."""
