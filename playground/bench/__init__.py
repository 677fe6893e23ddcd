"""Many runs of one loop: races, sweeps, and where their times come from."""
