"""simlab verify."""


def verify() -> None:
    """x."""
