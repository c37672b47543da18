"""What does the box have to hold, how long does a game take, and who waits?"""
