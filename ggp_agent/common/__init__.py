"""Errors, worker processes, database, TOML, terminal output, progress and charts: used by all packages."""
