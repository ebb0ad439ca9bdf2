"""The commands of the command line, one module each.

A command module has DESCRIPTION and EPILOG, which `--help` prints, `add_arguments(parser)`, and `run(args) -> int`,
which does the work and returns the exit status. A command with sub-commands may have DEFAULT_SUBCOMMAND, the
sub-command that runs if none is named. The program imports only the module of the command that it runs.
"""

# Each command with the line that `ggp-agent --help` prints for it, in this order.
COMMANDS = {
    "games": "list the games of the catalogue",
    "rules": "show how to play a game and how to type its moves",
    "play": "play the agent in the terminal",
    "web": "open a page to play, watch and write games",
    "match": "run one match between players",
    "tournament": "play a tournament between many players, which can be resumed",
    "serve": "serve a player over HTTP",
    "records": "list, show, replay, draw, check, export and verify recorded matches",
    "players": "show which players answer at a list of addresses",
    "search": "analyse a position with the tree search",
    "solve": "find the best line of a game of one role",
    "exploit": "compute an equilibrium of a small game with hidden information",
    "learn": "train a network for a game by self-play",
    "prepare": "choose a search configuration for a game with short test games",
    "arena": "let two configurations of the search play each other",
    "experiment": "play a study of many comparisons and report it",
    "tune": "optimise search parameters by playing games",
    "check": "check rule sheets for errors",
    "format": "give rule sheets a normal layout",
    "lsp": "serve editors: findings, fixes, completion, renaming (language server)",
    "convert": "write a rule sheet in another notation: KIF or infix",
    "equivalent": "decide whether two rule sheets are the same game",
    "inspect": "show the stages and sizes of a game's compilation",
    "perft": "count move sequences of each length",
    "measure": "measure properties of games: length, branching, balance, drama",
    "dataset": "make questions about games with verified answers, and score answers",
    "bench": "measure load time, play-outs and search per CPU-second",
    "replay": "compare a machine with recorded play-outs",
    "completion": "print a completion script for bash, zsh or fish",
}
