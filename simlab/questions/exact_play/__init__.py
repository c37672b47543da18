"""What is a small game worth when both play it exactly?"""
