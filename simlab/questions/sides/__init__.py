"""How much is each seat of a side worth when the side wins, and how does the side lose?"""
