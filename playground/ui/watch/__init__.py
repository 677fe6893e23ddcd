"""The Watch tab: one run, as it happens."""
