"""What is said about what was seen of a set-up. Pure: facts come in, remarks go out."""
