"""Tuning finds planted settings, says which trait does it, and writes a bot that loads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from simlab import api
from simlab.bot_registry import load_bot
from simlab.errors import InputError
from simlab.game import Trait
from simlab.questions.contest import Contest, field_text, fields_of
from simlab.questions.tuning.analysis import Search, tune
from simlab.questions.tuning.words import sentences, write
from simlab.registry import load_game
from tests.cli.forms import hold_to_form

KUHN = load_game("kuhn_poker")
BOT = '''
from simlab import Trait, policy


@policy("kuhn_poker", traits={
    "jack": Trait(0, 0, 1, "opens with a bet on the jack"), "queen": Trait(0, 0, 1, "on the queen"),
    "king": Trait(1, 0, 1, "on the king"), "hat": Trait(0.3, 0.0, 1.0, "changes nothing"),
})
def by_card(state, knobs, cards, traits):
    """Opens by its card, folds every bet but with the king."""
    card = state.card[state.seat]
    if state.paid[1 - state.seat] > state.paid[state.seat]:
        return 1 if card == 2 else 0
    return 1 if traits[card] > 0.5 else 0
'''


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("bot") / "mine.py"
    file.write_text(BOT)
    return str(file)


def contest(workers: int | None = None, against: str = "random", seed: int = 1) -> Contest:
    return Contest(KUHN, "first", fields_of(KUHN, "first", [against]), seed, workers)


def test_it_finds_the_best_answer_to_random_play_and_says_which_trait_does_it(bot: str) -> None:
    """By hand, against a coin: an opening bet wins with the jack 1/2, queen 3/4, king 1; without bets on jack and queen
    (they pass, and fold) 0, 1/4 and 1. So the best setting wins 3/4 in place of 5/12; the jack's bet is worth 1/6, the
    queen's as much; with the king it wins either way."""
    answer = tune(contest(), bot, games=6_000, confirm=3_000)
    assert answer.traits["jack"] == answer.traits["queen"] == 1
    assert answer.before.low < 5 / 12 < answer.before.high and answer.after.low < 3 / 4 < answer.after.high
    assert answer.gain.low < 1 / 3 < answer.gain.high and answer.is_better
    lost = {gain.trait: gain.lost_without for gain in answer.by_trait}
    assert all(lost[name].low < 1 / 6 < lost[name].high for name in ("jack", "queen"))
    assert all(lost[name].value == 0 for name in ("hat", "king") if name in lost)
    said = list(sentences(answer))
    assert "jack = 1 instead of 0" in said[1] and " hat" not in said[1]


def test_the_same_for_any_number_of_workers(bot: str) -> None:
    one, three = (tune(contest(workers, seed=5), bot, 1_500, 100) for workers in (1, 3))
    assert one == three


def test_where_nothing_can_be_gained_nothing_is_written(bot: str, tmp_path: Path) -> None:
    answer = api.tune("kuhn_poker", "first", bot, "random", 2_000, 200, traits=["hat"])
    assert answer.gain.value == 0 and not answer.is_better
    best, file = f"{bot}:jack=1:queen=1", tmp_path / "none.toml"
    same = api.tune("kuhn_poker", "first", best, "random", 2_000, 200, traits=["jack"], out=file)
    assert not same.changed and not file.exists()
    assert next(sentences(same)).startswith("No setting") and same.tuned == f"{bot}:jack=1:queen=1"


def test_bad_settings_die_early(bot: str) -> None:
    """A race of eight: all play 20 games, four play 40 more, two 80: the best of them is right, for half the games."""
    search = Search(contest(), bot)
    settings = [np.array([0, 0, 1, hat / 10]) for hat in range(7)] + [np.array([1, 1, 1, 0.3])]
    order = search._race(settings, 20, 2, "")
    assert order[0] == 7 and search.played == 8 * 20 + 4 * 40 + 2 * 80


def test_whole_numbers_stay_whole(bot: str) -> None:
    search = Search(contest(), bot)
    for x in np.random.default_rng(1).random((50, 4)):
        setting = search._setting(x)
        assert set(setting[:3]) <= {0.0, 1.0} and 0 <= setting[3] <= 1
    assert Trait(3, 0, 9, "cards").whole and not Trait(3, 0.0, 9.0, "points").whole


def test_the_file_is_a_bot_for_any_seat_that_takes_one(bot: str, tmp_path: Path) -> None:
    answer = tune(contest(), bot, games=1_500, confirm=50)
    path = Path(write(answer, tmp_path / "tuned.toml").file or "")
    loaded = load_bot(KUHN, "first", str(path))
    assert loaded.text == str(path) and loaded.traits[:4].tolist() == list(answer.traits.values())
    assert load_bot(KUHN, "first", f"{path}:jack=0").traits[0] == 0
    searching = load_bot(KUHN, "first", f"lookahead:playout={path}")
    assert searching.parts[1].traits[:4].tolist() == list(answer.traits.values())
    write(answer, path)  # its own kind is written over
    (tmp_path / "other.toml").write_text("[experiment]\n")
    with pytest.raises(InputError, match="exists already"):
        write(answer, tmp_path / "other.toml")
    again = tune(contest(), str(path), games=1_500, confirm=50)
    assert again.bot == answer.bot and again.untuned == answer.traits


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bot = ", "is not TOML"),
        ("[traits]\na = 1", "names a bot"),
        ('bot = "random"\ncolour = 3', "colour is not known here"),
        ('bot = "random"\ngame = "go"', "is for a bot of go"),
        ('bot = "random"\n[traits]\nx = true', "holds numbers"),
        ('bot = "random"\n[traits]\nx = 1', "has no trait 'x'"),
        ('bot = "lookahead"', "looks ahead itself"),
    ],
)
def test_a_file_that_is_wrong_is_named(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(InputError, match=why):
        load_bot(KUHN, "first", f"lookahead:playout={tmp_path / 'wrong.toml'}")


def test_mistakes_are_named(bot: str) -> None:
    with pytest.raises(InputError, match="no traits to tune"):
        Search(contest(), "random")
    with pytest.raises(InputError, match="has no trait 'jakc'"):
        Search(contest(), bot, ["jakc"])
    with pytest.raises(InputError, match="are too few to tune 4 traits"):
        tune(contest(), bot, games=50)
    with pytest.raises(InputError, match="has no seat 'third'"):
        fields_of(KUHN, "first", ["third=random"])
    with pytest.raises(InputError, match="is the seat for which a bot is searched"):
        fields_of(KUHN, "first", ["first=random"])
    with pytest.raises(InputError, match="there is no bot file"):
        load_bot(KUHN, "first", "nowhere.toml")


def test_an_experiment_file_names_rules_seed_and_opponents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`simlab optimize bot FILE` takes opponents, knobs and seed from the file, unless an option overrides them."""
    from simlab.cli.main import main

    (tmp_path / "mine.toml").write_text(
        '[experiment]\nname = "mine"\ngame = "simple_siege"\ngames = 10\nseed = 9\n'
        '[bots]\nbesieger = ["rusher", "stormer"]\nbesieged = "warden"\n[knobs]\nwalls_start = 7\n'
    )
    words = [
        "optimize",
        "bot",
        str(tmp_path / "mine.toml"),
        "--bot",
        "besieged=warden",
        "--trait",
        "walls",
        "-n",
        "800",
    ]
    with pytest.raises(SystemExit) as end:
        main([*words, "--confirm", "60", "--json", "--quiet", "--out", str(tmp_path / "out.toml")])
    answer = json.loads(capsys.readouterr().out)
    assert end.value.code == 0 and answer["seed"] == 9
    hold_to_form(answer)
    assert [field["against"] for field in answer["by_field"]] == ["rusher", "stormer"]
    same = Contest(
        load_game("simple_siege"), "besieged", [{"besieger": "rusher"}, {"besieger": "stormer"}], 9,
        knobs={"walls_start": 7},
    )  # fmt: skip
    assert tune(same, "warden", 800, 60, ["walls"]).to_json()["before"] == answer["before"]


def test_line_ups_of_three_opponents_have_texts_of_their_own() -> None:
    fields = [dict(zip("bcd", bots, strict=True)) for bots in (("x", "x", "y"), ("x", "y", "x"), ("y", "y", "y"))]
    assert [field_text(field) for field in fields] == ["y as d, x elsewhere", "y as c, x elsewhere", "y"]
    assert field_text({"b": "x", "c": "y"}) == "x, y" and field_text({}) == "the game"
