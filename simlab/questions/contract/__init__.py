"""Does the run keep the contract of its experiment?"""
