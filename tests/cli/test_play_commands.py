"""run, sweep, compare, replay, play, rules --counts: what they print, and where."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from simlab.engine.match import Match
from simlab.engine.stepper import Stepper
from simlab.registry import load_game
from simlab.runs import runner
from simlab.stats.intervals import wilson

from .conftest import Shell

BOTS = {"besieger": "planner", "besieged": "mason"}
BOT_OPTIONS = "--bot besieger=planner --bot besieged=mason"


def test_a_ready_experiment_is_taken_wherever_a_game_is(shell: Shell) -> None:
    file = Path(__file__).parents[2] / "experiments" / "simple_siege_best_play.toml"
    named, read = (shell(f"simlab replay {what} --game 2 --brief") for what in ("simple_siege_best_play", file))
    assert named.status == 0 and named.out == read.out
    assert "stormer" in named.out
    assert shell("simlab info simple_siege_best_play bots").status == 0
    done = shell("simlab sweep simple_siege_best_play --vary walls_start=4,6 -n 20 --json")
    assert [cell["bots"] for cell in done.json["cells"]] == [{"besieger": "stormer", "besieged": "warden"}] * 2


# --- run and sweep -------------------------------------------------------------


def test_sweep_json_is_one_object_of_the_promised_form(shell: Shell) -> None:
    done = shell(f"simlab sweep simple_siege {BOT_OPTIONS} --vary walls_start=4..6 -n 300 --json")
    assert done.status == 0
    found = done.json
    assert set(found) == {
        "schema",
        "verdict",
        "game",
        "cells",
        "games_per_second",
        "folder",
        "partial",
        "missing",
        "single_changes",
        "fair_settings",
        "knob_effects",
        "sensitivity",
        "bots",
        "ladder",
        "tables",
    }
    assert found["game"] == "simple_siege"
    assert found["folder"] == "results/simple_siege_walls_start"
    assert [cell["knobs"]["walls_start"] for cell in found["cells"]] == [4, 5, 6]
    for cell in found["cells"]:
        assert set(cell) == {
            "knobs",
            "bots",
            "games",
            "win_rate",
            "endings",
            "turns",
            "metrics",
            "cut_off",
            "win_share",
            "seat_categories",
        }
        assert cell["games"] == 300
        assert cell["bots"] == BOTS
        match = Match(load_game("simple_siege"), knobs={"walls_start": cell["knobs"]["walls_start"]}, bots=BOTS)
        rows = match.play(1, 0, 300).rows
        for seat, name in enumerate(match.game.seats):
            rate = cell["win_rate"][name]
            won = int((rows["winner"] == seat).sum())
            assert rate["estimate"] == won / 300
            assert (rate["low"], rate["high"]) == pytest.approx(wilson(won, 300))
        assert cell["turns"]["mean"] == pytest.approx(rows["turns"].mean())
        assert set(cell["turns"]) == {"mean", "p5", "p50", "p95", "intervals"}


def test_progress_goes_to_standard_error_and_quiet_silences_it(shell: Shell) -> None:
    loud = shell("simlab sweep simple_siege -n 300")
    assert re.search(r"300 of 300 games, [\d,]+ per second", loud.err)
    assert "besieger wins" in loud.err, "the present interval"
    assert "of 300 games" not in loud.out
    quiet = shell("simlab sweep simple_siege -n 300 --seed 2 --quiet")
    assert quiet.err == ""
    assert quiet.status == 0


def test_a_quick_look_writes_no_report_unless_asked(shell: Shell, tmp_path: Path) -> None:
    done = shell("simlab run simple_siege_best_play -n 300 --out mine")
    assert "For a report: simlab report mine" in done.out
    assert not (tmp_path / "mine" / "report.html").exists()
    assert shell("simlab report mine").status == 0
    old = (tmp_path / "mine" / "report.html").read_bytes()
    assert shell("simlab run simple_siege_best_play -n 400 --out mine").status == 0
    assert (tmp_path / "mine" / "report.html").read_bytes() != old, "an old report is brought up to date"


def test_run_prints_the_table_and_where_the_report_is(shell: Shell, tmp_path: Path) -> None:
    done = shell("simlab run simple_siege_best_play -n 10_000 --out mine")
    assert done.status == 0
    assert "besieger" in done.out
    assert "mine/report.html" in done.out
    assert (tmp_path / "mine" / "report.html").stat().st_size > 1000
    assert (tmp_path / "mine" / "experiment.toml").exists()


def test_the_same_command_again_plays_nothing_and_prints_the_same(shell: Shell, tmp_path: Path) -> None:
    first = shell("simlab sweep simple_siege -n 300 -q")
    written = {p: p.stat().st_mtime_ns for p in tmp_path.glob("results/*/cells/*/*")}
    assert written
    again = shell("simlab sweep simple_siege -n 300 -q")
    assert again.out == first.out
    assert {p: p.stat().st_mtime_ns for p in tmp_path.glob("results/*/cells/*/*")} == written


def test_options_replace_what_the_file_says(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[experiment]\ngame = "simple_siege"\ngames = 1000\nseed = 5\n'
        '[bots]\nbesieger = "rusher"\nbesieged = "random"\n[knobs]\nwalls_start = 3\n'
    )
    done = shell("simlab run mine.toml -n 50 -s 6 --bot besieged=mason,cook --set walls_start=6 --json")
    cells = done.json["cells"]
    assert [cell["bots"]["besieged"] for cell in cells] == ["mason", "cook"]
    assert [(cell["games"], cell["knobs"]["walls_start"]) for cell in cells] == [(50, 6), (50, 6)]
    manifest = json.loads((Path(done.json["folder"]) / "manifest.json").read_text())
    assert manifest["identity"]["seed"] == 6


def test_interrupted_run_says_the_command_that_carries_on(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*words: object, **names: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner._Driver, "_play_all", stop)
    done = shell("simlab sweep simple_siege -n 50 --set walls_start=6 --force")
    assert done.status == 130
    assert done.err.rstrip().endswith("simlab sweep simple_siege -n 50 --set walls_start=6")


# --- compare --------------------------------------------------------------------


def test_compare_plays_every_bot_in_each_seat_that_it_can_take(shell: Shell) -> None:
    done = shell("simlab compare simple_siege --bots random,rusher,mason -n 200 --json")
    assert done.status == 0
    found = done.json
    pairs = {(c["bots"]["besieger"], c["bots"]["besieged"]) for c in found["cells"]}
    assert pairs == {("random", "random"), ("random", "mason"), ("rusher", "random"), ("rusher", "mason")}
    for seat, bots in (("besieger", {"random", "rusher"}), ("besieged", {"random", "mason"})):
        ranked = found["bots"]["ranking"][seat]
        assert {entry["bot"] for entry in ranked} == bots
        strengths = [entry["elo"]["estimate"] for entry in ranked]
        assert strengths == sorted(strengths, reverse=True)
        for entry in ranked:
            for figure in (entry["elo"], entry["win_rate"]):
                assert figure["low"] <= figure["estimate"] <= figure["high"]


def test_compare_prints_matrix_and_ranking(shell: Shell) -> None:
    done = shell("simlab compare simple_siege --bots random,rusher,mason -n 200 -q")
    assert done.status == 0
    for word in ("besieger wins, in % of the games", "rusher", "mason", "strongest first", "For a report: "):
        assert word in done.out


def test_compare_of_one_seat_ranks_by_win_rate(shell: Shell) -> None:
    done = shell("simlab compare simple_siege --bot besieger=rusher,random --bot besieged=mason -n 200 -q")
    assert done.status == 0
    assert "wins against all" in done.out


# --- rules ------------------------------------------------------------------------


def test_rules_counts_agree_with_the_engine(shell: Shell) -> None:
    done = shell(f"simlab info simple_siege rules --counts 100 --seed 3 {BOT_OPTIONS} --set walls_start=6 --json")
    game = load_game("simple_siege")
    tally = Match(game, knobs={"walls_start": 6}, bots=BOTS).play(3, 0, 100).tally
    assert [rule["id"] for rule in done.json["rules"]] == [rule.id for rule in game.rules]
    assert [rule["fired"] for rule in done.json["rules"]] == tally.fired.tolist()
    assert [rule["games"] for rule in done.json["rules"]] == tally.fired_games.tolist()


# --- replay -----------------------------------------------------------------------


def test_replay_plays_the_game_of_the_batch(shell: Shell) -> None:
    rows = Match(load_game("simple_siege"), bots=BOTS).play(1, 0, 8).rows
    for index in range(8):
        done = shell(f"simlab replay simple_siege --game {index} {BOT_OPTIONS} --brief -q")
        assert f"{rows[index]['turns']} turn" in done.out
        assert f"{rows[index]['decisions']} decisions" in done.out
        assert f"walls_end {rows[index]['walls_end']}," in done.out
        assert done.out.count("\nturn ") == rows[index]["decisions"]


def test_a_check_names_only_the_knobs_that_were_set(shell: Shell, tmp_path: Path) -> None:
    """The line that replays the game at fault is short enough to read."""
    bot = tmp_path / "wild.py"
    bot.write_text(
        "from simlab.game import policy\n\n\n@policy('simple_siege')\n"
        'def wild(state, knobs, cards, traits):\n    """Never legal."""\n    return -1\n'
    )
    done = shell(f"simlab dev check-bot simple_siege {bot}:wild --seat besieger --set walls_start=6 -n 2 -q")
    assert done.status == 1
    line = next(line for line in (done.out + done.err).splitlines() if "simlab replay" in line)
    assert line.count("--set") == 1
    assert "--set walls_start=6" in line


@pytest.mark.parametrize("game", ["simple_siege", "montsegur", "mighty_fortress"])
def test_a_brief_replay_says_whether_checks_and_attacks_succeeded(shell: Shell, game: str) -> None:
    loaded = load_game(game)
    stepper = Stepper(Match(loaded, bots=dict.fromkeys(loaded.seats, "random")), 3, 2)
    while not stepper.over:
        stepper.apply(stepper.policy_action())
    row = stepper.row()
    counted = {r.id: int(n) for r, n in zip(loaded.rules, stepper.state.fired, strict=True)}
    lines = shell(f"simlab replay {game} --seed 3 --game 2 --brief -q").out.splitlines()
    printed = [line.strip() for line in lines if line.startswith("      ")]
    if game == "simple_siege":
        won = sum(line.endswith(": success") for line in printed)
        assert len(printed) == counted["SS-CON-04"] > won > 0
        assert sum(line.endswith(": no effect") for line in printed) == len(printed) - won
    elif game == "montsegur":
        assert sum(line.endswith((": success", ": failed")) for line in printed) > 0
        attacks = [line for line in printed if " attack " in line]
        assert len(attacks) == row["attacks_cathar"] + row["attacks_crusader"]
        taken = row["taken_cathar"] + row["taken_crusader"]
        assert sum(line.endswith(": taken") for line in attacks) == taken
    else:
        assaults = [line for line in printed if line.startswith("Assault Check")]
        assert len(assaults) == sum(row[f"assaults_{cause}"] for cause in ("bombardment", "unrest", "traitor", "card"))
        assert sum(line.endswith(": Breach") for line in assaults) == (row["winner"] < 0)
        checks = [line for line in printed if line.startswith("Traitor Check")]
        assert sum(line.endswith(": failed") for line in checks) == row["traitor_failures"]
        assert len(checks) == counted["MF-TRA-02"] + counted["MF-TRA-03"]
        assert sum(line.startswith("Raid roll") for line in printed) == row["raids"]


def test_a_brief_replay_tells_the_choices_that_were_not_asked(shell: Shell) -> None:
    """The lead die of a Convert has the pips of its slot; with one such die the game takes it unasked."""
    converts = unasked = 0
    for index in range(6):
        out = shell(f"simlab replay mighty_fortress --seed 3 --game {index} --brief -q").out
        for slot, dice in re.findall(r"Convert .*\(slot (\d)\)\n((?:.*: commit .*\n)+)", out):
            pips = [int(pip) for pip in re.findall(r"commit \w+ (\d)", dice)]
            assert pips[0] >= int(slot)
            converts += 1
            unasked += dice.count("one option")
    assert converts > 0
    assert unasked > 0


def test_replay_shows_labels_changes_and_rules(shell: Shell) -> None:
    done = shell(f"simlab replay simple_siege --game 3 {BOT_OPTIONS} -q")
    assert re.search(r"  besieger: Construct Mine \(\+3, costs 3\)\n    counters in play: \+Mine\n", done.out)
    assert re.search(r"besieger's deck: 40 cards -> 37 cards", done.out)
    assert re.search(r"rules: .*SS-EQP-02", done.out)
    counted = Match(load_game("simple_siege"), bots=BOTS).play(1, 3, 1).tally.fired
    named = re.findall(r"(SS-[A-Z]+-\d\d)(?: x(\d+))?", done.out)
    total: dict[str, int] = {}
    for rule, times in named:
        total[rule] = total.get(rule, 0) + int(times or 1)
    rules = load_game("simple_siege").rules
    assert total == {r.id: int(n) for r, n in zip(rules, counted, strict=True) if n}


def test_replay_from_results_proves_the_stored_row(shell: Shell, tmp_path: Path) -> None:
    assert shell("simlab sweep simple_siege --vary walls_start=4,6 -n 30 --out done -q").status == 0
    done = shell("simlab replay --from done --game 7")
    assert done.status == 2
    assert "2 cells" in done.err
    keys = sorted(path.name for path in (tmp_path / "done" / "cells").iterdir())
    for key in keys:
        done = shell(f"simlab replay --from done --cell {key[:10]} --game 7 --brief")
        assert done.status == 0
        assert "The stored row is the same." in done.out
    done = shell(f"simlab replay --from done --cell {keys[0]} --game 30")
    assert done.status == 2
    assert "no game 30" in done.err


def test_replay_from_a_strangers_folder_runs_nothing_of_it(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from simlab.game import policy\n\n@policy()\ndef mine(state, knobs, cards, traits):\n"
        '    """The first."""\n    return state.legal[0]\n'
    )
    assert shell("simlab sweep simple_siege --bot besieger=./mine.py:mine -n 30 --out done -q").status == 0
    (tmp_path / "mine.py").write_text("raise SystemExit('run!')\n")
    done = shell("simlab replay --from done --game 7")
    assert done.status == 2
    assert f"--allow {tmp_path / 'mine.py'}" in done.err


# --- play -------------------------------------------------------------------------


@pytest.mark.parametrize("stdin", ["", "q\n", "?\nnonsense\n99\n\nQUIT\n"])
def test_play_ends_cleanly_when_the_person_leaves(stdin: str, shell: Shell) -> None:
    done = shell("simlab play simple_siege --as besieged --bot besieger=rusher --seed 7", stdin)
    assert done.status == 0
    assert "You left." in done.out
    assert "--seed 7 --game 0" in done.out
    if "nonsense" in stdin:
        assert "'nonsense': type a number in 1.." in done.out
        assert "'99': type a number in 1.." in done.out


def test_play_to_the_end_is_seeded(shell: Shell) -> None:
    line = "simlab play simple_siege --as besieged --bot besieger=planner --seed 7 -q"
    first = shell(line, "1\n" * 500)
    assert first.status == 0
    assert re.search(r"The end: besiege[rd] wins \(\w+\), \d+ turns", first.out)
    assert shell(line, "1\n" * 500).out == first.out


def test_play_does_not_tell_what_the_seat_cannot_see(shell: Shell) -> None:
    done = shell("simlab play simple_siege --as besieged --bot besieger=planner --seed 7 -q", "1\n" * 500)
    assert "besieger decides in secret: order of a Plan" in done.out
    assert "besieger: next from the top" not in done.out
    assert "besieger knows on top: 1" not in re.sub(r"\d+ cards", "", done.out)


def test_play_of_montsegur_shows_all_that_the_seat_may_know(shell: Shell) -> None:
    done = shell("simlab play montsegur --as cathar --bot crusader=value --seed 3 -q", "1\n" * 500)
    assert re.search(r"The end: \w+ wins \(\w+\), \d turns, \d+ decisions.\n    cathar \d+, crusader \d+\n", done.out)
    assert "  MC Montségur Castle: 4 Cathars | from WW +3, EW +2\n" in done.out
    assert "  S31 Night Raid on the Camp (3 CP, Cathar x1): up to 3 of the Crusaders' soldiers in CC to the" in done.out
    assert "crusader decides in secret: card for the strategy stack" in done.out
    assert "crusader: put on the stack" not in done.out
    before_the_end = done.out[: done.out.rindex("> ")]
    hidden = re.findall(r"crusader's (?:hand|stack):(.*)", before_the_end)
    assert hidden
    assert all(re.fullmatch(r" \d+ cards?(?: -> \d+ cards?)?", text) for text in hidden)


def test_counts_of_games_are_read_as_people_write_them(shell: Shell) -> None:
    from simlab.cli.options import count

    texts = ["200", "2_000", "2,000", "2k", "1e3", "1.5e3", "2M", "0.5k"]
    assert np.array_equal([count(t) for t in texts], [200, 2000, 2000, 2000, 1000, 1500, 2_000_000, 500])


# --- plans, answers, tournaments --------------------------------------------------


def test_a_plan_writes_nothing_and_knows_what_is_there(shell: Shell) -> None:
    line = "simlab sweep simple_siege --vary walls_start=4..5 -n 300 -q --out there"
    planned = shell(f"{line} --plan --json").json
    assert (planned["cells"], planned["games"], planned["done"]) == (2, 600, 0)
    assert not Path("there").exists()
    assert planned["change"] > planned["paired"] > 0
    assert shell(line).status == 0
    grown = line.replace("4..5", "4..6")
    assert shell(f"{grown} --plan --json").json["done"] == 600
    printed = shell(f"{grown} --plan").out
    assert "900 in 3 cells, of which 600 are in there already" in printed
    rows = sum(path.stat().st_size for path in Path("there/cells").rglob("*") if path.is_file())
    assert planned["disk"] == pytest.approx(rows, rel=0.5)


def test_a_sweep_that_grows_plays_only_what_is_new(shell: Shell) -> None:
    line = "simlab sweep simple_siege --vary walls_start=4..5 -n 300 -q --out there"
    assert shell(line).status == 0
    before = {path: path.stat().st_mtime_ns for path in Path("there/cells").rglob("*.parquet")}
    assert shell(line.replace("4..5", "4..6")).status == 0
    after = {path: path.stat().st_mtime_ns for path in Path("there/cells").rglob("*.parquet")}
    assert len(after) == 3
    assert before.items() <= after.items()


def test_one_change_at_a_time(shell: Shell) -> None:
    line = "simlab sweep simple_siege --one-at-a-time --knobs walls_start,fate_jokers --steps 2 -n 300 -q --json"
    found = shell(f"{line} --target 45%").json
    assert found["single_changes"]["target"]["value"] == 0.45
    changes = {(c["knob"], c["value"]) for c in found["single_changes"]["changes"]}
    assert changes == {("walls_start", v) for v in (3, 4, 6, 7)} | {("fate_jokers", False)}
    assert len(found["cells"]) == 6


def test_sobols_indices(shell: Shell) -> None:
    line = "simlab sweep simple_siege --vary walls_start=3..7 --vary 'fate_jokers=*' --sobol 64 -n 200 -q"
    found = shell(f"{line} --json").json
    assert {entry["knob"] for entry in found["sensitivity"]["indices"]} == {"walls_start", "fate_jokers"}
    assert len(found["cells"]) <= 10  # whole numbers and switches fall together
    assert "which knobs matter" in shell(line).out


def test_a_tournament_file(shell: Shell) -> None:
    Path("cup.toml").write_text(
        '[experiment]\nname = "cup"\ngame = "simple_siege"\ngames = 200\n'
        '[tournament]\nbots = ["random", "rusher", "mason", "waiter"]\nmatch_ups = 5\n'
    )
    found = shell("simlab run cup.toml -q --json").json
    assert len(found["cells"]) == len(found["bots"]["match_ups"]) == 5
    assert found["bots"]["balance"]["stamp"] in ("holds", "leans", "fragile", "open", "even")
    again = shell("simlab run results/cup/experiment.toml --out again -q --json").json
    assert [cell["bots"] for cell in again["cells"]] == [cell["bots"] for cell in found["cells"]]
    assert "Balance (" in shell("simlab run cup.toml -q").out


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("simlab sweep simple_siege --knobs walls_start", "go with --one-at-a-time"),
        ("simlab sweep simple_siege --one-at-a-time --vary walls_start=3..4", "leave --vary and --sobol out"),
        ("simlab sweep simple_siege --one-at-a-time --knobs walls_strt", "Did you mean 'walls_start'?"),
        ("simlab sweep simple_siege --one-at-a-time --knobs walls_start --set walls_start=4", "cannot be both"),
        ("simlab sweep simple_siege --sobol 8", "needs the knobs and their ranges"),
        ("simlab sweep simple_siege --sobol 48 --vary walls_start=3..4", "Write 64"),
        ("simlab sweep simple_siege --sobol 32 --vary walls_start=3..4", "too few base points"),
        ("simlab sweep simple_siege --target 2", "a share between 0 and 1"),
    ],
)
def test_mistakes_of_sweeps(shell: Shell, line: str, printed: str) -> None:
    done = shell(f"{line} -n 10")
    assert done.status == 2
    assert printed in done.err


@pytest.mark.parametrize("game", ["simple_siege", "mighty_fortress"])
def test_each_turn_of_a_replay_has_one_heading(shell: Shell, game: str) -> None:
    """One game tells its phases, the other does not."""
    lines = shell(f"simlab replay {game} --seed 2 --game 1 -q").out.splitlines()
    turns = [line for line in lines if re.fullmatch(r"turn \d+", line)]
    end = next(line for line in lines if line.startswith("The end: "))
    assert turns == [f"turn {n}" for n in range(1, len(turns) + 1)]
    assert f", {len(turns)} turns," in end
