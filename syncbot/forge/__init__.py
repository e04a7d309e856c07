"""Code hosts behind narrow ports. The only room that imports PyGithub."""
