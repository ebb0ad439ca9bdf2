"""Build the C++17 core and its Cython bindings, one for each folder of it; pyproject.toml has the rest."""

import os
from collections.abc import Sequence
from pathlib import Path

import clingo
from Cython.Build import cythonize
from setuptools import Extension, setup

ROOT = Path(__file__).parent
CLINGO_HEADERS = str(Path(clingo.__file__).parent)


def extension(module: str, *folders: str, flags: Sequence[str] = ()) -> Extension:
    """Describe one Cython module together with the C++ folders that it wraps, and additional flags of the compiler."""
    sources = [f"{module.replace('.', '/')}.pyx"]
    for folder in folders:
        sources += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "csrc" / folder).glob("*.cpp"))
    included = [path for path in (ROOT / "csrc").rglob("*") if path.suffix in (".hpp", ".inl")]
    return Extension(
        module,
        sources,
        include_dirs=["csrc", CLINGO_HEADERS],
        language="c++",
        extra_compile_args=["-std=c++17", "-O3", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra", *flags],
        define_macros=[("NDEBUG", None)],
        depends=sorted(str(path.relative_to(ROOT)) for path in included),
    )


setup(
    ext_modules=cythonize(
        [  # as many at a time as there are cores: the longest first
            extension("ggp_agent._games", "games"),
            extension("gdl._network", "network"),
            extension("ggp_agent._search", "search"),
            extension("gdl._reasoner", "reasoner"),
            extension("ggp_agent._hidden", "hidden"),
            extension("gdl._simulation", "simulation"),
            extension("gdl._simulator", "arrays"),
            extension("ggp_agent._learning", "learning", flags=["-ffp-contract=off"]),
        ],
        build_dir="build/cython",
        compiler_directives={"language_level": "3", "boundscheck": False, "wraparound": False},
    ),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
