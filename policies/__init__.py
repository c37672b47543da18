"""The bots, one module per game. To write your own, see docs/add-a-bot.md."""
