"""Where on the map do things happen?"""
