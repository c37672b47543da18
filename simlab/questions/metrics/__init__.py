"""Which values do the numbers that games report take?"""
