"""The bots, one module a game. A bot of your own looks the same: see docs/add-a-bot.md."""
