"""The contract of a game and its parts (from simlab.spec), for authors of kernels and bots. To write a game as a class,
see simlab.author.
"""

from simlab.spec.bots import MAX_TRAITS, Policy, Trait, policy, trait_names
from simlab.spec.card_tables import Column, Tables, TableSchema
from simlab.spec.components import Component, Components, Items
from simlab.spec.contract import Decision, Die, Game, Side
from simlab.spec.files import read_plain_file, read_toml
from simlab.spec.knobs import Knob, KnobValue, read_knobs
from simlab.spec.ledger import read_ledger, rule_index
from simlab.spec.maps import Hex, HexContent, HexGround, HexMap, HexMark
from simlab.spec.metrics import Metric, SeatCategory, Track, the_seat
from simlab.spec.record import (
    LOADED,
    Array,
    Cards,
    Description,
    Knobs,
    Row,
    State,
    Traits,
    read_text,
    state_type,
    stream_numbers,
    write_text,
)
