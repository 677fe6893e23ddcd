"""The engine itself, measured: against others, and how what it does grows."""
