"""The Recommend tab: items for a user, found by speculation."""
