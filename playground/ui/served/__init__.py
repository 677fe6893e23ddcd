"""The page's server: which requests are let in, what is kept for how long, how it ends."""
