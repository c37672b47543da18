"""Do stored games still replay identically? Does a game still play as its fingerprint?"""
