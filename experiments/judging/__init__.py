"""What judges of claims share: verdicts, and what rows say of a curve."""
