"""In which region of the settings does a condition hold?"""
