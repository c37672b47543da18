"""Which of many knobs matter, all moved together?"""
