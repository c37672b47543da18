"""Games, bots and experiments as data with checks, without playing."""
