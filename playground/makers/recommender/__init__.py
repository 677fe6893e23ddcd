"""The shop and its recommenders: invented, trained by every version of the loss, measured and described."""
