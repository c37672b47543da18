"""Reading the results of a run: cells, exact counts, rows, names, and the games behind a number."""
