"""The language server: editor functions for rule sheets over the Language Server Protocol."""
