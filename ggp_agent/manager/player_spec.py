"""What plays a role, as it is said in a word on the command line, in a tournament's file and in a match record.

>>> read_spec("agent:mine.toml")
PlayerSpec(policy='agent', config='mine.toml', url='')
>>> read_spec("localhost:9148").url, read_spec("http://10.0.0.7/there").url
('http://localhost:9148', 'http://10.0.0.7:9147/there')
>>> read_spec("human")
Traceback (most recent call last):
...
ggp_agent.errors.UserError: no player is called 'human'; give agent, random, legal, agent:FILE or http://host:port
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import UserError
from ..player.match_messages import POLICIES
from ..wire.player_address import PlayerAddress

# The policy that is configured by a file.
_CONFIGURED = "agent"
_HOST_AND_PORT = re.compile(r"(?:[^\s:/]+|\[[0-9A-Fa-f:.]+\]):[0-9]+(?:/.*)?")
_ECHO = 60


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """Say what plays: a policy of ours, which has to be started, or a player that runs already.

    Attributes:
        policy: one of `POLICIES`; empty for a player that runs already.
        config: the file that says how the policy searches; None for none.
        url: where the player is; empty for one of ours.
    """

    policy: str = ""
    config: str | None = None
    url: str = ""


def read_spec(text: str) -> PlayerSpec:
    """Read a policy, `agent:FILE`, a URL, or host and port.

    Raises:
        UserError: it is none of these.
    """
    policy, colon, config = text.partition(":")
    if policy in POLICIES and not config.startswith("//"):
        if not colon or (policy == _CONFIGURED and config):
            return PlayerSpec(policy, config if colon else None)
    elif "://" in text or _HOST_AND_PORT.fullmatch(text):
        return PlayerSpec(url=PlayerAddress(text).url)
    shown = text if len(text) <= _ECHO else f"{text[: _ECHO - 2]}.."
    known = f"{', '.join(POLICIES)}, {_CONFIGURED}:FILE or http://host:port"
    raise UserError(f"no player is called {shown!r}; give {known}")
