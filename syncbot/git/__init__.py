"""Everything that runs git. The only room that imports GitPython; the others see the small verbs of these modules."""
