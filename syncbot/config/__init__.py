"""``syncbot.toml`` and ``patches/<id>/patch.toml``: read, checked all at once, turned into ``syncbot.model`` values."""
