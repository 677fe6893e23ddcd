"""What a tab shows when it is opened: a race and a sweep that were recorded beforehand."""
