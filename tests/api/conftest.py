"""Tests that ask lists."""

from tests.patience import patient as patient
