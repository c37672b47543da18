"""What does the number of players change?"""
