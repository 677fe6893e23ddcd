"""A head that drafts from what the target has made of its text, and how it is trained."""
