"""A game as one class: the names that its author imports.

from simlab.author import Game, bot, choice, knob, per_seat, trait
"""

from simlab.author.base import Game
from simlab.author.bids import Auction, SealedBids
from simlab.author.build import bot
from simlab.author.dice import Dice, Pool, Track, Trick, squares
from simlab.author.draw_piles import DrawPiles
from simlab.author.effects import word
from simlab.author.fields import ALL, NONE, choice, flag, grid, knob, number, numbers, per_seat, trait
from simlab.author.maps import Map, Pieces, Routes
from simlab.author.measures import metric, track
from simlab.author.shelf import Bag, Component, Deck, Hand, OwnDecks, Pile, Places, Roster, Row, Table, Tableau

__all__ = [
    "ALL", "NONE", "Auction", "Bag", "Component", "Deck", "Dice", "DrawPiles", "Game", "Hand", "Map", "OwnDecks",
    "Pieces", "Pile", "Places", "Pool", "Roster", "Routes", "Row", "SealedBids", "Table", "Tableau", "Track",
    "Trick", "bot", "choice", "flag", "grid", "knob", "metric", "number", "numbers", "per_seat", "squares", "track",
    "trait", "word",
]  # fmt: skip
