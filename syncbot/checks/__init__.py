"""The benchmark checklist: result files read, arms compared, checks judged."""
