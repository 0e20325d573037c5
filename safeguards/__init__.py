"""What every part of the project does alike where things go wrong: names and numbers that cannot be, files cut short.

Nothing beneath this: it imports the standard library only, and what it offers is taken from its modules.
"""
