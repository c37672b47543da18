"""What do the bots do with their choices?"""
