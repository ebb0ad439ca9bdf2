"""The agent: protocol, server, manager, records, search and command line."""
