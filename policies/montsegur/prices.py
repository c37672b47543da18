"""A bot's valuations, in command points: the estimates of the ledger (section 7.1), each defined once.

They are judgements, not rules. A point of Morale or Food decides whether the Cathars live a turn longer, which is about
the price of a good card; soldiers are cheap; effects that last only one turn are worth little.
"""

from __future__ import annotations

# Tracks, for each step that really happens.
MORALE_STEP = 3.5
FOOD_STEP = 3.3  # a little less than Morale: hunger bites only below the limit
FAITH_STEP = 3.5
TREBUCHET_STEP = 3.0

# Perfects.
ASPIRING = 2.5  # a cube that keeps Faith from falling, of which a turn can use ENOUGH_ASPIRING
ENOUGH_ASPIRING = 2
SPARE_ASPIRING = 0.5  # each further one
CAPTURED = 5.0  # taken from the castle; also one that converts
RESCUED = 4.0
ESCAPED = 5.0  # a perfect got out
ESCAPE_RISK = 0.35  # chance of escape that just pays for the perfect put at risk by an event

# Soldiers.
CATHAR_THROUGH = 1.5  # a Cathar who sneaks through: few come
CRUSADER_ARRIVED = 1.0
CATHAR_MUSTERED = 1.5
CRUSADER_MUSTERED = 0.8
IN_THE_RING = 0.9  # a Crusader put straight where he is wanted
ON_THE_BATTLEFIELD = 0.5  # half of the soldiers come back anyway
CATHAR_HIT = 2.5
CRUSADER_HIT = 1.0
ROUTED = 0.6  # as a share of one hit: the soldier is not lost
REDEPLOYED = 1.0

# Attacks, for each soldier lost, and the worth of holding a place.
CRUSADER_FALLEN_TO_CATHARS, CATHAR_LOST = 0.3, 1.0  # the Cathars have few, and the Crusaders' come back
CATHAR_FALLEN_TO_CRUSADERS, CRUSADER_LOST = 1.0, 0.35
CENTRE_TAKEN = 100.0  # wins the game
CREST_TAKEN = (2.0, 3.0)  # to the Cathars, to the Crusaders
WALL_TAKEN = (2.0, 2.5)
ROC_TAKEN = (1.0, 1.0)
PERIMETER_TAKEN = (-1.0, 0.5)  # a soldier out there is missed in the castle
CASTLE_EMPTIED = 2.0  # subtracted for an attack that leaves nobody at home
SHY_OF_ATTACKS = 3.0  # subtracted for PEACE
WORTH_ATTACKING = 0.5  # an attack that an event offers is declined below this

# Headquarters.
SCOUT_GAINED = 1.2
MARKER_GAINED = 1.2
MARKER_STOLEN = 3.0  # one more for this side, one fewer for the other
COMMANDER_READY = 4.5  # five points, minus the worth of his card
CARD_DRAWN = 1.0
CARD_DISCARDED = 1.5

# Effects that last for a turn or the game.
LEADERSHIP_HELP = 0.4
PATH_LESS = 0.8
REINFORCEMENTS_LESS = 0.5
ESCAPE_HELP, ESCAPE_HARM = 0.4, 0.8
NO_ATTACKS = 0.5
CAVES_OPEN = 2.0
GRAIL = 4.0
BROKEN_LINE = 2.5
WALLS_MENDED = 1.0
BOOST_BY_EVENT = 3.0  # times its chance

# Cards kept back.
TRIGGER_RISK = 0.5  # how often an enemy with a marker triggers an event, times its worth to him
SYMBOL = 1.0

# Actions, by points.
REINFORCED_CATHAR, CATHARS_ENOUGH = 1.2, 4  # for each who gets through; half once the castle holds more than this many
REINFORCED_CATHAR_TOO_MANY = 0.5
REINFORCED_CRUSADER, CRUSADERS_ENOUGH = 0.5, 9
REINFORCED_CRUSADER_TOO_MANY = 0.3
SPREAD = 0.5  # for each soldier that a Redeploy puts where one is missing
SPREAD_AFTER_THE_CREST = 0.3  # flat: the ring matters less once the Crest is held by
CREST_HELD = 2
SCOUTED = 1.3  # an action buys them at a slightly higher price than an event
SCOUTS_ENOUGH, SCOUTED_ENOUGH = 3, 0.4
CATHAR_BOOST, CRUSADER_BOOST = 4.0, 2.2  # times its chance: the Cathars have less time
LOW_MORALE, BOOST_WHEN_LOW = 2, 1.3
MORALE_AHEAD, BOOST_WHEN_AHEAD = 2, 0.4  # the Crusaders win on time, as long as the Cathars' Morale ends first
ESCAPE_MADE, ESCAPE_FAILED = 5.0, 1.2
FIRST_ESCAPE = 2.8  # added: it denies the Crusaders their points for no escape
FAITH_AT_STAKE = 1.5  # subtracted if one perfect fewer would let Faith fall
LAST_PERFECT = 6.0  # subtracted: without perfects the castle surrenders
CONSOLED_IN_NEED, CONSOLED, CONSOLED_MORE = 4.0, 1.4, 0.6  # the first cube, by how much it is needed; each further one
COMMANDER_SAVED, COMMANDER_BY_TURN = 3.0, 0.5  # kept for later, which is worth less as the turns go by

# Secondary choices.
WASTE = 0.3  # subtracted for each point more than is needed
STACKED_SYMBOL, STACKED_DANGER, STACKED_POINT = 3.0, 0.3, 0.1  # of a card put on the strategy stack
