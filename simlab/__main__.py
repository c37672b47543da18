"""The command `simlab`, and `python -m simlab`: takes signals over first, and loads the rest then."""

from simlab.cli.ending import watch


def main() -> None:
    """Runs the command line of this process and exits with its status."""
    watch()
    from simlab.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
