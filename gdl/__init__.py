"""The Game Description Language: text in, state machine out.

language   text to rules         checks     what is wrong with a sheet
compile    rules to a network    machines   what plays by them
graphs     strongly connected components
files      opened with care, written as a whole

`__init__.pyi` lists the public names. Each name is imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
