"""What is each seat of a side worth when the side wins, and what breaks the side?"""
