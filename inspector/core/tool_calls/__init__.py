"""Examines the arguments of tool calls and compares them with the tools that the request offers."""
