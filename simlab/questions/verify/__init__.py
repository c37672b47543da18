"""Do stored games still replay identically? Does a game still match its fingerprint?"""
