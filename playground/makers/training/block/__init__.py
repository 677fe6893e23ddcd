"""A block drafter, which drafts several positions in one call, and how it is trained."""
