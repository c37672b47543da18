"""How do games end, and how do games with each ending differ?"""
