"""What is each option and each card worth, as cause, and which two are partners or rivals?"""
