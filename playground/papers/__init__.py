"""Results of five papers, and their comparisons run here."""
