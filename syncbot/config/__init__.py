"""``syncbot.toml`` and ``patches/<id>/patch.toml``: read, checked all at once, turned into values of ``syncbot.model``."""
