"""Rules whose text has another law than the target's: thresholds, a mixture, and the relaxed layer."""
