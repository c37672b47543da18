"""Which single change of a knob brings best play closest to its target?"""
