"""Recommenders of a shop: trained by every version of the loss, measured and described."""
