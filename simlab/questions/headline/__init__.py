"""Who is favoured, by how much, and with what confidence?"""
