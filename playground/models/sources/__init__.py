"""Sources of models, the Hub and folders; the devices they run on; and the memory they need."""
