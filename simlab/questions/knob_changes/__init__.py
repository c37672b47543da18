"""What does each value of a knob change, on the same seeds?"""
