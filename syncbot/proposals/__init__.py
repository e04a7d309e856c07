"""What becomes of a decision: looked at on the forge, prepared as one commit, worded, and carried out."""
