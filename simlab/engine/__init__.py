"""Random streams, compiled play loop, batches and single steps. The engine knows no game by name."""
