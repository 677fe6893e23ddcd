"""Acceptance of the bundled pair's drafters, position by position, as the Lab shows it."""
