"""What does each knob do to win rates and to the length of games?"""
