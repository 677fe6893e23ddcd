"""Acceptance: two small distributions that one can drag, and what every rule makes of them, exactly."""

from playground.lab.acceptance import curve, one_position
from playground.ui.lab.panel import answers

ask = answers(position=one_position, curve=curve)
