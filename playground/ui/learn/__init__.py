"""The Learn tab: lessons on the recorded runs, read in the browser."""
