"""Branches: a finished run once more, with one change and a trace of its own.

    original   round 1 .. k-1    round k                     round k+1 ...
    branch     the same          the same up to the change   the same random numbers, on another text

The run is repeated from its seed. Until the change everything is the same, token by token. One of three things can be
changed, from round k on:

* a verdict: the random number of one test is moved to the other side of its acceptance probability. The rule does the
  rest: it goes on below the token, or draws a correction. So a verdict that no random number has decided cannot be
  forced: a token with p above q is accepted by every number.
* a token: it replaces a tested one. It ends the round, unless it is a draft itself: then it is accepted, and one token
  more is drawn.
* options: length and width of the drafts, in this round and all that follow.

The random numbers that the change does not touch are those of the original. Each round has its own, in the order in
which they are drawn: the first number of round 7 is the same in both runs, whatever the rounds between have emitted.
Where the branch draws more in a round than the original did, those are new numbers, for none is used twice.

A branch claims no distribution, whatever its method claims: it was chosen after the run was seen.
"""

from playground.decoding.what_if.branch import branch
from playground.decoding.what_if.change import Change

__all__ = ["Change", "branch"]
