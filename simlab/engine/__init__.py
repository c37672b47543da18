"""Random streams, compiled play loop, batches and single steps. The engine refers to no game by name."""
