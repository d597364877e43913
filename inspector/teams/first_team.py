"""What the team is called that a first start makes."""

SLUG, NAME = "default", "My team"
