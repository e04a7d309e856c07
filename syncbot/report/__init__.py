"""Reports: one set of rows (`syncbot.model.report`), shown in a terminal, as Markdown, HTML, JSON or a badge."""
