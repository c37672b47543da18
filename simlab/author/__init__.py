"""A game as one class: the names that its author imports.

from simlab.author import Game, bot, choice, knob, per_seat, trait
"""

from simlab.author.base import Game
from simlab.author.bids import Auction, SealedBids
from simlab.author.build import bot
from simlab.author.dice import Dice, Pool, Track, Trick, squares
from simlab.author.fields import ALL, NONE, choice, flag, grid, knob, number, numbers, per_seat, trait
from simlab.author.maps import Map, Pieces, Routes
from simlab.author.shelf import Bag, Component, Deck, Hand, OwnDecks, Pile, Places, Row, Tableau

__all__ = [
    "ALL", "NONE", "Auction", "Bag", "Component", "Deck", "Dice", "Game", "Hand", "Map", "OwnDecks", "Pieces", "Pile",
    "Places", "Pool", "Routes", "Row", "SealedBids", "Tableau", "Track", "Trick", "bot", "choice", "flag", "grid",
    "knob", "number", "numbers", "per_seat", "squares", "trait",
]  # fmt: skip
