"""The Game Description Language: from the text of a rule sheet to a state machine.

language   parse text into rules          checks     find errors in a rule sheet
compile    compile rules into a network   machines   the state machines
graphs     strongly connected components
files      safe opening and atomic writing of files

`__init__.pyi` lists the public names. Each name is imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
