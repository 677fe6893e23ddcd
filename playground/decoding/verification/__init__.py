"""Verification rules: pure functions of target probabilities, the law of the draws, draws and coins.

Each judges and says so in a `Ruling`; most also give their exact acceptance probability. Losslessness is a matter of
arithmetic: tests/decoding/verification enumerates the law of what each lets through. The rules that give another law
than the target's are in lossy/.
"""
