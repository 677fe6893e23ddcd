"""Training of the shop's recommenders: what they read, the losses of every version of the draft, and the steps."""
