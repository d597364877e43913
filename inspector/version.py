"""The version that the programs say they have; pyproject.toml says the same."""

VERSION = "0.1.0"
