"""Does the installation work?"""
