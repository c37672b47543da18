"""What does a rule change do?"""
