"""The rule that decides every statement, tested on itself: how often it is wrong, and how often it sees nothing."""
