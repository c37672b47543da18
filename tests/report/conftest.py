import pytest

from tests.report import fake


def _falls(first, second, point):
    """The first seat wins less with higher walls, and bots differ."""
    return min(max(0.9 - 0.1 * point[0] + 0.05 * first - 0.04 * second, 0.02), 0.98)


@pytest.fixture(scope="session")
def one():
    """One cell."""
    contract = {"besieger_win": {"target": 0.5, "margin": 0.05}, "turns_p90": {"max": 30}}
    return fake.results(games=3000, chance=lambda *_: 0.62, contract=contract)


@pytest.fixture(scope="session")
def match_ups():
    """Every pair of 9 and 8 bots: 72 cells."""
    bots = {"besieger": [f"bot{i}" for i in range(9)], "besieged": [f"wall{i}" for i in range(8)]}
    return fake.results(bots=bots, games=150, rows=True, contract={"besieger_win": {"min": 0.3, "max": 0.7}})


@pytest.fixture(scope="session")
def walls():
    """One knob, four match-ups."""
    bots = {"besieger": ["rusher", "gunner"], "besieged": ["mason", "raider"]}
    return fake.results(bots=bots, knobs={"walls": [3, 4, 5, 6, 7]}, chance=_falls)


@pytest.fixture(scope="session")
def two_knobs():
    """Two knobs, one match-up."""
    return fake.results(knobs={"walls": [3, 4, 5, 6], "cost": [1, 2, 3]}, chance=_falls)


@pytest.fixture(scope="session")
def switch():
    """A switch, two match-ups."""
    bots = {"besieger": ["rusher", "gunner"], "besieged": ["mason"]}
    return fake.results(bots=bots, knobs={"ace": [True, False]})


@pytest.fixture(scope="session")
def three_seats():
    """Three seats, some draws."""
    return fake.results(seats=("red", "green", "blue"), draw=0.1, chance=lambda *_: 0.45, games=2000)


@pytest.fixture(scope="session")
def hostile():
    """Names and texts that try to break out."""
    seats = (fake.HOSTILE, "besieged<b>")
    bots = {seats[0]: [fake.HOSTILE, "[bold]x"], seats[1]: ["$a$ $", "\\frac{1}{2}"]}
    return fake.results(seats=seats, bots=bots, knobs={fake.HOSTILE: [fake.HOSTILE, "$"]}, hostile=True, games=300)


@pytest.fixture(scope="session")
def solo():
    """One seat that wins or does not, with a score; rows kept."""
    return fake.results(seats=("player",), bots={"player": ["bold", "shy"]}, draw=0.5, scores=True)


@pytest.fixture(scope="session")
def every(one, match_ups, walls, two_knobs, switch, three_seats, solo, hostile):
    """All of them, by name."""
    return {
        "one": one,
        "match_ups": match_ups,
        "walls": walls,
        "two_knobs": two_knobs,
        "switch": switch,
        "three_seats": three_seats,
        "solo": solo,
        "hostile": hostile,
    }
