"""Work that a browser follows: whose turn it is, what it says, how it ends."""
