"""Does a real model's vote follow the paper's two formulas, question by question?"""
