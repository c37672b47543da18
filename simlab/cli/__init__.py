"""The command line: one thin file per command; everything is also available from Python."""
