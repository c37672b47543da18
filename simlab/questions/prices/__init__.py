"""What should each thing cost, so that nothing changes if a player may not have it?"""
