"""How ``inspect`` says what it read: for people, for GitHub's annotations, as SARIF and JSON."""
