"""The commands of the command line, one module each.

A command module has SUMMARY, DESCRIPTION and EPILOG, which `--help` prints, `add_arguments(parser)`, and
`run(args) -> int`, which does the work and returns the exit status; one with sub-commands may have DEFAULT_SUBCOMMAND,
which is meant where none is named. Whatever is slow to import is imported inside
`run`, so that `--help` stays quick.
"""

# In the order in which `ggp-agent --help` lists them.
MODULES = (
    "ggp_agent.commands.games",
    "ggp_agent.commands.rules",
    "ggp_agent.commands.play",
    "ggp_agent.commands.web",
    "ggp_agent.commands.match",
    "ggp_agent.commands.tournament",
    "ggp_agent.commands.serve",
    "ggp_agent.commands.records",
    "ggp_agent.commands.players",
    "ggp_agent.commands.search",
    "ggp_agent.commands.solve",
    "ggp_agent.commands.prepare",
    "ggp_agent.commands.arena",
    "ggp_agent.commands.experiment",
    "ggp_agent.commands.tune",
    "ggp_agent.commands.check",
    "ggp_agent.commands.inspect",
    "ggp_agent.commands.perft",
    "ggp_agent.commands.bench",
    "ggp_agent.commands.replay",
    "ggp_agent.commands.completion",
)
