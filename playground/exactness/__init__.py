"""Is a method lossless? Exact distributions, seeded runs against them, and rules broken on purpose."""
