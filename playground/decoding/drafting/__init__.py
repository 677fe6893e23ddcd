"""From draft models to a round's draft: what is recorded of it, how it grows, who writes it, how long it gets."""
