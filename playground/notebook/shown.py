"""Output of a notebook's cell: a page in a frame, or a picture. No widget, so it outlives the session."""

import html
from dataclasses import dataclass
from pathlib import Path

from playground.files import export_file


@dataclass(frozen=True, slots=True)
class Player:
    """A page that plays a run, with all it needs inside."""

    page: str
    height: int  # px

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, which may run its script and reach nothing of the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts allow-downloads" title="A recorded run" '
            f'width="100%" height="{self.height}" style="border: 0; border-radius: 8px" allowfullscreen></iframe>'
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG that refers to nothing outside it."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to a file.

        Raises:
            PlaygroundError: if it cannot be written there.
        """
        export_file(Path(path), self.svg)
