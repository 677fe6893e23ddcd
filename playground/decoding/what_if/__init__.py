"""What if a verdict had been another? A finished run once more, with one change: a branch, with a trace of its own.

    original   round 1 .. k-1    round k                         round k+1 ...
    branch     the very same     the same up to what is changed   the same coins, on another text

The run is made again from its seed. Until the change comes, everything is what it was, token by token. One of three
things can be changed, from round k on:

* a verdict: the coin of one draw falls on the other side of its acceptance probability. The rule does the rest, as it
  would have done: it goes on below the token, or draws what takes its place. So a verdict that no coin has decided
  cannot be forced: a token with p above q is accepted by every coin.
* a token: it takes the place of a judged one. It ends the round, unless it is a draft itself: then it is accepted, and
  one token more is drawn.
* options: length and width of the drafts, in this round and all that follow.

The coins that the change does not touch are those of the original. Each round has its own, in the order in which they
are thrown: the first coin of round 7 is the same number in both runs, whatever the rounds between have emitted. Where
the branch throws more in a round than the original did, those are new numbers, for none is used twice.

A branch claims no law, whatever its method claims: somebody who saw the run has chosen it.
"""

from playground.decoding.what_if.branch import branch
from playground.decoding.what_if.change import Change

__all__ = ["Change", "branch"]
