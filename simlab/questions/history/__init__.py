"""What was tried, in order, and what did each change do?"""
