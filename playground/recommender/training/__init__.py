"""How the shop's recommenders are made: what they read, the losses of every version of the draft, and the steps."""
