"""The command `simlab`, and `python -m simlab`: handles signals first, and then loads the rest."""

import atexit
import gc
import os
import sys

# `python -m simlab` begins its search for modules in the current folder, where a designer may keep a random.py.
if __name__ == "__main__" and not sys.flags.safe_path and not os.path.isdir(os.path.join(sys.path[0], "simlab")):
    del sys.path[0]

from simlab.cli.ending import watch


def main() -> None:
    """Runs the command line of this process and exits with its status."""
    watch()
    # Tables here are small: linear algebra threads would wait for each other longer than they compute.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Loaded objects stay: scanning them for garbage, 400 times and at the end, took a seventh of a short run.
    gc.set_threshold(400_000, 10, 10)
    atexit.register(gc.freeze)
    from simlab.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
