"""Verification rules: pure functions of target probabilities, draft probabilities, draws and coins.

Each module judges, and also gives its exact acceptance probability and the exact law of its output, so that
losslessness is a matter of arithmetic. The lossy rules (typical, joint, rollback) are thresholds, without coins.
"""
