"""What would a run take: games, time, disk space, and the smallest change that it detects?"""
