"""The Compare tab: jobs of many runs, as a race or as a sweep."""
