"""Where models come from and where they go: the Hub, folders, devices, and room for them."""
