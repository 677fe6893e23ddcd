"""The text of a run in the player, without a browser."""

from tests.javascript.node import ran


def test_what_a_stop_string_cut_off_is_struck_out():
    """The string begins within a token and ends within the next; a letter of two code units counts once."""
    words = ran(
        """
        const { Text } = await load("player/panels/text.js");
        const words = ["🙂 Alice", " ran.!", "User: what"].map((piece) => (
          { node: { piece }, element: document.createElement("span") }));
        const finished = { finish_reason: "stop_string", text: "🙂 Alice ran." };
        Text.prototype.cut.call({ list: { words } }, { finished });
        print(words.map(({ element }) => element.children.map((part) => part.textContent ?? part)));
        """,
        with_document=True,
    )
    assert words == [[], [" ran.", "!"], ["", "User: what"]]
