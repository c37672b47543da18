"""The games that come with the lab, a folder each."""
