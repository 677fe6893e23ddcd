"""Versions of the draft: one for each training loss, see makers/recommender/objectives.py."""

VERSIONS = {  # The tables call each version so.
    "sft": "SFT",
    "word_kd": "WordKD",
    "tvd_kd": "TVDKD",
    "sequence_kd": "SeqKD",
    "atspeed_s": "AtSpeed-S",
    "atspeed_r": "AtSpeed-R",
}
