"""Messages between the page and its server: a tagged record each, and how they are read."""
