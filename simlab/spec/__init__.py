"""What a game, a bot and an experiment are: data with checks, without playing."""
