"""Which single change does most, and which is the smallest that reaches the target?"""
