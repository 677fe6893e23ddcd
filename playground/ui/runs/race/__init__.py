"""The Compare tab: methods raced against each other."""
