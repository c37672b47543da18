"""Statistics a designer can trust: every estimate with its interval, and the kind of interval.

Pure functions of numbers and arrays; nothing here knows a game or a file.
"""
