"""Finds the smallest exchange that still has a finding: parts of it are removed as long as the
finding stays.
"""
