"""One module for each family of figures: its `Options`, and `figure`, which draws a description of that class.

A family is found by the name of its module; nothing else lists it.
"""
