"""What is the smallest change of the rules that keeps the designer's contract?"""
