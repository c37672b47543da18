"""What does a bot do, and which rules tell it?"""
