"""Verification rules: pure functions of target probabilities, draft distribution, draws and uniform random numbers.

Each returns a `Ruling`; most also give their exact acceptance probability. Losslessness is a matter of arithmetic:
tests/decoding/verification enumerates each rule's output distribution. The rules whose output distribution is not the
target's are in lossy/.
"""
