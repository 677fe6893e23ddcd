"""Verification rules: pure functions of target probabilities, the law of the draws, draws and coins.

Each judges, says so in a `Ruling`, and also gives its exact acceptance probability and the exact law of its output, so
that losslessness is a matter of arithmetic. The rules that give another law than the target's are in lossy/.
"""
