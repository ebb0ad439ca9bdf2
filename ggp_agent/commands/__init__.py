"""The commands of the command line, one module each.

A command module has DESCRIPTION and EPILOG, which `--help` prints, `add_arguments(parser)`, and `run(args) -> int`,
which does the work and returns the exit status. A command with sub-commands may have DEFAULT_SUBCOMMAND, the
sub-command that runs if none is named. The program imports only the module of the command that it runs.
"""

# Each command with the line that `ggp-agent --help` prints for it, in the groups of the help and of the documentation.
GROUPS = {
    "play": {
        "games": "list the games of the catalogue",
        "rules": "show how to play a game and how to type its moves",
        "play": "play the agent in the terminal",
        "web": "open a page to play, watch and write games",
    },
    "matches": {
        "match": "run one match between players",
        "tournament": "play a tournament between many players, which can be resumed",
        "serve": "serve a player over HTTP",
        "records": "list, show, replay, draw, check, export, verify recorded matches",
        "players": "show which players answer at a list of addresses",
    },
    "analyse": {
        "search": "analyse a position with the tree search",
        "solve": "find the best line of a game of one role",
        "exploit": "compute an equilibrium of a small game with hidden information",
    },
    "get stronger": {
        "prepare": "choose a search configuration for a game with short test games",
        "learn": "train a network for a game by self-play",
    },
    "compare": {
        "arena": "let two configurations of the search play each other",
        "experiment": "play a study of many comparisons and report it",
        "tune": "optimise search parameters by playing games",
    },
    "rule sheets": {
        "check": "check rule sheets for errors",
        "format": "give rule sheets a normal layout",
        "convert": "write a rule sheet in another notation: KIF or infix",
        "equivalent": "decide whether two rule sheets are the same game",
        "lsp": "serve editors: findings, fixes, completion, renaming",
    },
    "examine": {
        "inspect": "show the stages and sizes of a game's compilation",
        "perft": "count move sequences of each length",
        "measure": "measure properties of games: length, branching, balance, drama",
        "bench": "measure load time, play-outs and search per CPU-second",
        "verify": "compare a machine with recorded play-outs",
    },
    "data": {
        "dataset": "make questions with verified answers, and score answers",
    },
    "set up": {
        "completion": "print a completion script for bash, zsh or fish",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

# Former names, which work in version 0.3 and print a line: of commands, and of the options of a command.
FORMER_COMMANDS = {"replay": "verify"}
FORMER_OPTIONS = {
    "play": {"--load": "--resume"},
    "prepare": {"--seconds": "--cpu-seconds"},
    "arena": {"--record": "--out"},
    "experiment": {"--to": "--out"},
    "tune": {"--plot": "--chart"},
    "bench": {"--seconds": "--cpu-seconds", "--search-seconds": "--search-cpu-seconds"},
}
