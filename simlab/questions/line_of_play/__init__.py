"""What does a bot do, and which rules describe it?"""
