"""Uploads of many entries: cut into captures while their sender waits, or acknowledged as they came
and cut later.
"""
