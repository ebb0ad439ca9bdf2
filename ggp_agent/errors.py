"""Errors that are the user's to mend."""

from __future__ import annotations


class UserError(Exception):
    """Report a mistake in what the user asked for.

    The text is one line that says what is wrong, where, and what to do; the command line prints it and ends with
    status 2.
    """
