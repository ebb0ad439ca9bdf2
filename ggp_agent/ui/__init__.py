"""User interfaces: the terminal and the web page."""
