"""Figures that the processes of a host count and time, added up by whichever of them is asked."""
