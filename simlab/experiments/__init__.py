"""Ask: the file of an experiment, the experiment, and the cells of its table. Nothing is played here."""
