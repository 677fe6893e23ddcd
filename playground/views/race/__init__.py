"""Pictures of a race: its table, its speed-ups, its verdict in sentences, and a lane per run to replay it."""
