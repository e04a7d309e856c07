"""From two repositories to a configuration: where a downstream pins an upstream, and which tags are releases."""
