"""Is a method lossless? Exact laws, seeded runs against them, and rules broken on purpose."""
