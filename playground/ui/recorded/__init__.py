"""What a tab shows when it is opened: a race, a sweep and a recommendation that were recorded beforehand."""
