"""Where the page of a film should jump to: found frame by frame."""

from __future__ import annotations

from simlab.questions.replay.film import Film, Frame


def of_turn(film: Film, turn: int) -> int | None:
    """Number of the first frame of a turn; None for one that was not played."""
    return next((frame.number for frame in film if frame.turn == turn), None)


def next_firing(film: Film, number: int, rule: str) -> int | None:
    """Number of the next frame, after a given one, in which a rule of the ledger fired."""
    later = (frame for frame in film if frame.number > number)
    return next((frame.number for frame in later if any(one.id == rule for one, _ in frame.fired)), None)


def leader(frame: Frame) -> int | None:
    """The seat that leads by the game's own measure (Game.lead); None for a tie."""
    values = frame.at.copy().tracks()
    tracks = [values[name] for name in frame.game.lead]
    return tracks.index(max(tracks)) if tracks.count(max(tracks)) == 1 else None


def next_leader(film: Film) -> int | None:
    """Number of the first frame at which the leader changes."""
    first = None
    for frame in film:
        now = leader(frame)
        if first is not None and now not in (None, first):
            return frame.number
        first = now if first is None else first
    return None
