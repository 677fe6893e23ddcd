"""The parts that tabs share: the page around them, their controls and links."""
