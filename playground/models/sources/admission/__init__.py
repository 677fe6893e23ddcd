"""Admission of models that strangers made: bounds from raw headers first, then a trial in a confined process.

Nothing of a stranger's folder becomes an object in this process before it has passed here. What comes along with the
playground passes unread.
"""
