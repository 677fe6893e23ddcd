"""From draft models to a round's draft: its record, its growth, its samplers, its length."""
