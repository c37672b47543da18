"""Statistics a designer can trust: every estimate with its interval, and which interval it is.

Pure functions of numbers and arrays; nothing here knows a game or a file.
"""
