"""What the tabs share: the page around them, their controls and links."""
