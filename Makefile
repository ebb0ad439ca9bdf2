# make play   install what playing needs and show a match.
# make test   add the tools of developers; lint, types and a test of every part, in minutes.   make test-all   every test.
# Then '. .venv/bin/activate', and 'ggp-agent games' lists the games, 'ggp-agent play GAME' plays one with you.
# make bench   measure the speed of all games.
# make threads   compare games that eight threads share with one thread, for ten seconds.
# make soak   a thousand matches at clocks of a second;   make fuzz, make fuzz-sheets, make random-inputs   new random inputs.
# Needed: git, make, Python 3.11 or newer, a C++17 compiler.

PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo $$p; break; fi; done)
CXX := $(shell for c in $(CXX) g++ clang++ c++; do if command -v $$c >/dev/null 2>&1; then echo $$c; break; fi; done)
export CXX

# The tests start hundreds of processes, so bytecode is kept between them, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/bytecode

BIN := .venv/bin
# Three stamps: the packages that the program needs, its compiled core, and the packages of developers.
INSTALLED := .venv/installed
COMPILED := .venv/compiled
DEVELOPING := .venv/developing
BUILD_FILES := setup.py $(wildcard gdl/_*.p?? ggp_agent/_*.p??) $(shell find csrc -type f)
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal

.PHONY: play test test-all test-slow test-lanes test-csrc lint types bench threads soak fuzz fuzz-sheets random-inputs \
  examples proofs replay wheel docs develop clean
.DELETE_ON_ERROR:

play: $(COMPILED)
	@$(BIN)/ggp-agent match connect_four --player agent agent --startclock 1 --playclock 0.1
	@echo; echo "Three commands to try:"
	@echo "  . .venv/bin/activate           # then 'ggp-agent' is a command"
	@echo "  ggp-agent web                  # boards to click on, in your browser"
	@echo "  ggp-agent play connect_four    # the same in the terminal"

# Lint, types and a test of every part of the program, in minutes.
test: lint
	@$(MAKE) --no-print-directory types & types=$$!; $(PYTEST) -m "not slow"; tests=$$?; wait $$types && exit $$tests

# Everything: the quick tests, then all others. Properties are tested again, with more inputs.
test-all: test test-slow

test-slow: test-csrc test-lanes
	@$(PYTEST) -m "slow or hypothesis" --ignore=tests/test_csrc.py

# The C++ tests, under sanitizers; only what has changed is compiled again.
test-csrc: $(DEVELOPING) $(COMPILED)
	@$(BIN)/python -m pytest -m "" tests/test_csrc.py

# Results do not depend on the number of lanes.
LANES := 256 512
OF_LANES := tests/gdl/machines $(addprefix tests/ggp_agent/,mcts arena learning hidden)
test-lanes: $(DEVELOPING) $(COMPILED)
	@for lanes in $(LANES); do echo "with $$lanes lanes:"; \
	  GGP_AGENT_LANES=$$lanes $(PYTEST) -m "not slow" $(OF_LANES) || exit 1; done

# Speeds of all games of the catalogue, as a table, bench/results.csv and bench/speeds.svg; two or three minutes.
bench: $(DEVELOPING) $(COMPILED)
	@$(BIN)/ggp-agent bench --catalogue --csv bench/results.csv --chart bench/speeds.svg --force

# Walks through games that many threads share: every answer must be what one thread gets.
threads: $(DEVELOPING) $(COMPILED)
	@$(BIN)/python tests/support/shared_games.py

# A thousand short matches, far more at once than there are cores; goes on where it was interrupted.
MATCHES := 1000
soak: $(DEVELOPING) $(COMPILED)
	@$(BIN)/python tests/support/soak.py --matches $(MATCHES)

# Every recorded play-out of the public games, where they lie beside the project; some minutes.
replay: $(DEVELOPING) $(COMPILED)
	@$(BIN)/ggp-agent verify ../shared/corpus/traces/*.json.gz --rules ../shared/corpus/rules --jobs 2

# Mutated requests against a served player in a match: no crash, no hang, no leak, no late move; some ten minutes.
# `make fuzz REQUESTS=1000000` sends more of them.
REQUESTS := 200000
fuzz: $(DEVELOPING) $(COMPILED)
	@$(BIN)/python tests/support/wire_fuzz.py --requests $(REQUESTS)

# Mutated rule sheets: each is a game or refused in one line, within limits of time and memory; some five minutes.
SHEETS := 10000
fuzz-sheets: $(DEVELOPING) $(COMPILED)
	@$(BIN)/python tests/support/sheet_fuzz.py --sheets $(SHEETS)

# Tests of properties with new random inputs, five times; `make test` draws the same inputs in every run. Some minutes.
random-inputs: $(DEVELOPING) $(COMPILED)
	@for run in 1 2 3 4 5; do HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest \
	  $$(grep -rl --include='test_*.py' '^from hypothesis' tests) || exit 1; done

# The examples that need PyTorch, TensorBoard and moviepy, which are too large for every run of the tests. moviepy
# replaces pillow by an older version; some minutes.
CPU_WHEELS := https://download.pytorch.org/whl/cpu
examples: $(COMPILED)
	@$(BIN)/pip install --quiet --extra-index-url $(CPU_WHEELS) torch tensorboard 'moviepy>=2.1,<3'
	@$(BIN)/python -m pytest tests/ggp_agent/rl/test_ppo_example.py tests/ggp_agent/rl/test_rendering.py \
	  tests/ggp_agent/learning/test_pytorch_example.py
	@$(BIN)/python -m pytest tests/test_docs.py -k 'python_on and learning_environments'

# Proven bounds of the search against exhaustive minimax, on random games; a minute.
GAMES := 1000
proofs: $(DEVELOPING) $(COMPILED)
	@$(BIN)/python tests/support/guaranteed_goals.py --games $(GAMES)

# A wheel as users get it, compiled anew, which takes minutes; then it is tried in an environment of its own.
wheel:
	@rm -rf build/wheels build/try && mkdir -p build/wheels
	@$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheels .
	@$(PYTHON) -m venv build/try
	@build/try/bin/python -m pip install --quiet --disable-pip-version-check build/wheels/*.whl
	@cd build && unset PYTHONPYCACHEPREFIX && PATH=$(CURDIR)/build/try/bin try/bin/python ../tests/support/smoke.py
	@ls -l build/wheels/*.whl

# The documentation site, in build/docs/index.html; a warning is an error. Pages of studies come from their databases.
docs: $(DEVELOPING) $(COMPILED)
	@mkdir -p build && $(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print(*project["optional-dependencies"]["docs"], sep="\n")' >build/docs-needs.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement build/docs-needs.txt
	@$(BIN)/python tools/stored_results.py draw
	@$(BIN)/python tools/option_pages.py
	@$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "build/docs/index.html"

# The tools of developers, without running anything.
develop: $(DEVELOPING) $(COMPILED)

lint: $(DEVELOPING) $(COMPILED)
	@$(BIN)/ruff check .

types: $(DEVELOPING) $(COMPILED)
	@$(BIN)/mypy && $(BIN)/mypy tools

# Checks what the installation needs; the first missing thing is printed in one line.
define NEEDED
test -n "$(PYTHON)" || { echo "Python 3.11 or newer is missing (Debian: apt install python3 python3-venv python3-dev)"; exit 1; }; \
test -n "$(CXX)" || { echo "a C++17 compiler is missing (Debian: apt install g++)"; exit 1; }; \
$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing (Debian: apt install python3-venv)"; exit 1; }; \
$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' \
  || { echo "Python's C headers are missing (Debian: apt install python3-dev)"; exit 1; }
endef

$(INSTALLED): pyproject.toml
	@$(NEEDED)
	@$(PYTHON) tools/install.py
	@touch $@

$(COMPILED): $(INSTALLED) $(BUILD_FILES)
	@$(NEEDED)
	@$(BIN)/python setup.py -q build_ext --inplace
	@touch $@

$(DEVELOPING): $(INSTALLED)
	@$(PYTHON) tools/install.py --extra dev
	@touch $@

clean:
	rm -rf .venv build *.egg-info gdl/*.so ggp_agent/*.so
