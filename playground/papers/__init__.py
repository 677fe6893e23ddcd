"""What the five papers report, and their comparisons run here."""
