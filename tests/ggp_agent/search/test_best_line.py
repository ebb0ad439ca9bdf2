"""The best line that the simulations of a game of one role come upon: kept, replayed, followed."""

from __future__ import annotations

import random

import pytest
from random_puzzles import random_puzzle
from small_puzzles import SUDOKU

from gdl import ReferenceMachine, load_machine, parse_sheet
from gdl.machines.reasoner import ReasonerMachine
from ggp_agent.games import load_game
from ggp_agent.puzzles.line import goal_after
from ggp_agent.search.config import SearchConfig
from ggp_agent.search.configurations import read_configuration
from ggp_agent.search.searcher import Searcher
