"""Statistics a designer can trust: every estimate with its interval, and which interval it is.

Pure functions of numbers and arrays; nothing here knows a game or a file.
"""

from __future__ import annotations

from simlab.stats.figure import Figure, Figures
from simlab.stats.intervals import (
    Mean,
    clopper_pearson,
    difference_of_rates,
    goodman,
    mean_from_histogram,
    quantile_from_histogram,
    quantile_interval,
    smallest_change,
    wilson,
)
from simlab.stats.multiple_testing import benjamini_hochberg, holm
from simlab.stats.paired import PairedDifference, mcnemar, paired_difference, paired_rates
from simlab.stats.ratings import Ratings, bradley_terry
from simlab.stats.sequential import (
    difference_sequence,
    mean_sequence,
    paired_mean_sequence,
    quantile_sequence,
    share_sequence,
)
from simlab.stats.verdict import BROKEN, MET, UNDECIDED, Clause, Line, judge, overall

__all__ = [
    "BROKEN",
    "MET",
    "UNDECIDED",
    "Clause",
    "Figure",
    "Figures",
    "Line",
    "Mean",
    "PairedDifference",
    "Ratings",
    "benjamini_hochberg",
    "bradley_terry",
    "clopper_pearson",
    "difference_of_rates",
    "difference_sequence",
    "goodman",
    "holm",
    "judge",
    "mcnemar",
    "mean_from_histogram",
    "mean_sequence",
    "overall",
    "paired_difference",
    "paired_mean_sequence",
    "paired_rates",
    "quantile_from_histogram",
    "quantile_interval",
    "quantile_sequence",
    "share_sequence",
    "smallest_change",
    "wilson",
]
