"""The demonstration: two small stand-in projects are built commit by commit, and asked about as they grow.

``lumen`` (the upstream) and ``harbor`` (the downstream) are invented. `syncbot.demo.stage.Stage` holds both
repositories; an act is a function that takes the stage, builds on, and yields steps: what was shown, and what was
checked. `syncbot.demo.play.ACTS` lists the acts in order; a new one is a file and a line there.
"""
