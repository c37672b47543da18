"""The command line: one file a command, thin; whatever a command does can be done from Python too."""
