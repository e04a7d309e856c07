"""``syncbot.toml`` and ``patches/<id>/patch.toml``: read, checked all at once, turned into ``syncbot.model`` values.

`load_project` is what everybody calls; `check_project` returns the problems as values, `read_project` both;
`load_archived` what lies in the archive.
"""

from syncbot.config.loading import check_project, is_id, load_archived, load_project, read_project
from syncbot.config.problems import Problem

__all__ = ["Problem", "check_project", "is_id", "load_archived", "load_project", "read_project"]
