"""Many runs: engine benchmarks."""
