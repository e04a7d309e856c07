"""The demonstration: the life of one workaround on two small stand-in projects, built commit by commit.

``lumen`` (the upstream) and ``harbor`` (the downstream) are invented. `syncbot.demo.stage.Stage` holds both
repositories and the folder of the bot, in which the program itself is run; an act is a function that takes the stage,
lets people do things, runs commands, and yields steps: what was shown, and what was checked. The words are in
``story.toml``. `syncbot.demo.play.ACTS` lists the acts in order.
"""
