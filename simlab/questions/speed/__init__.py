"""How fast is the lab on this machine, and is this build slower than an earlier one?"""
