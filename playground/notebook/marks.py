"""The signs and colours of the player, for pictures made here.

The player has them in assets/player/stage/glyphs.js and assets/shared/styles/look.css.
"""

GLYPHS = {
    "accepted": "M-3.2 .2L-.9 2.6L3.3 -2.6",
    "rejected": "M-2.5 -2.5L2.5 2.5M2.5 -2.5L-2.5 2.5",
    "not_tested": "M-2.8 0H2.8",
    "correction": "M-2.9 -1.2H1.2A2.1 2.1 0 0 1 1.2 3H-1.2M-.9 -3.2L-2.9 -1.2L-.9 .8",
    "bonus": "M0 -3.9L1.1 -1.3L3.8 -1.1L1.7 .7L2.4 3.4L0 1.9L-2.4 3.4L-1.7 .7L-3.8 -1.1L-1.1 -1.3Z",
    "plain": "M0 -.1V.1",
    "pending": "M-2.9 0A2.9 2.9 0 1 0 2.9 0A2.9 2.9 0 1 0 -2.9 0",
}
SIGNS = {  # The legend calls each state so.
    "pending": "drafted",
    "accepted": "accepted",
    "rejected": "rejected",
    "not_tested": "not tested",
    "correction": "correction token",
    "bonus": "bonus token",
    "plain": "target token",
}
_TONES = {  # on light, on dark
    "pending": ("#5b6573", "#9aa5b5"),
    "scored": ("#0072b2", "#56b4e9"),
    "accepted": ("#007a58", "#3fcf9f"),
    "rejected": ("#c24a00", "#ff9460"),
    "not_tested": ("#7d8795", "#8792a2"),
    "correction": ("#9c3a78", "#e79ccb"),
    "bonus": ("#0064a3", "#74c4f4"),
    "plain": ("#56606e", "#aab4c2"),
}
_FILLED = {"accepted": 0.16, "rejected": 0.09, "correction": 0.18, "bonus": 0.18, "plain": 0.18}  # share of the tone
_DASHES = {"rejected": "4 3", "not_tested": "1.5 3"}


class Colours:
    """The colours of one picture."""

    def __init__(self, dark: bool) -> None:
        self.dark = dark
        self.ground, self.raised, self.ink = (
            ("#161b23", "#222935", "#e7eaf0") if dark else ("#ffffff", "#ffffff", "#1c2430")
        )
        self.quiet = mixed(self.ink, self.ground, 0.72)
        self.faint = mixed(self.ink, self.ground, 0.13)
        self.target, self.draft = ("#56b4e9", "#f0b03c") if dark else ("#0072b2", "#df8600")
        self.sign = "#14181f" if dark else "#ffffff"

    def tone(self, state: str) -> str:
        """Return the colour of a state; a text that is not one has the target's verdict."""
        return _TONES.get(state, _TONES["accepted"])[self.dark]

    def edge(self, state: str) -> str:
        """Return the colour of the line to a node in this state."""
        whole = state in ("accepted", "bonus", "correction")
        return self.tone(state) if whole else mixed(self.tone(state), self.ground, 0.65)

    def shape(self, state: str) -> str:
        """Return the attributes of a chip's outline."""
        share = _FILLED.get(state, 0.0)
        fill = "none" if state == "not_tested" else mixed(self.tone(state), self.raised, share)
        stroke = mixed(self.tone(state), self.ground, 0.62) if state == "pending" else self.tone(state)
        width = 1.5 if state in ("pending", "not_tested") else 2
        dashes = f' stroke-dasharray="{_DASHES[state]}"' if state in _DASHES else ""
        return f'fill="{fill}" stroke="{stroke}" stroke-width="{width}"{dashes}'


def mixed(colour: str, other: str, share: float) -> str:
    """So much of one colour in another, each #rrggbb."""
    pairs = ((int(colour[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(share * one + (1 - share) * two):02x}" for one, two in pairs)


def outline(state: str, width: float, height: float) -> str:
    """Draw a chip from x = 0, centred on y = 0: cut corners for a correction, round ends for a bonus."""
    h = height / 2
    if state == "correction":
        cut = min(7, h)
        return (
            f"M{cut} {-h}H{width - cut:.1f}L{width:.1f} {-h + cut}V{h - cut}L{width - cut:.1f} {h}H{cut}L0 {h - cut}"
            f"V{-h + cut}Z"
        )
    r = h if state == "bonus" else 2 if state == "plain" else min(7, h)
    return (
        f"M{r} {-h}H{width - r:.1f}A{r} {r} 0 0 1 {width:.1f} {-h + r}V{h - r}A{r} {r} 0 0 1 {width - r:.1f} {h}H{r}"
        f"A{r} {r} 0 0 1 0 {h - r}V{-h + r}A{r} {r} 0 0 1 {r} {-h}Z"
    )
