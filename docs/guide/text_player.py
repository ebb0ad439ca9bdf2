"""A text player for `ggp-agent`: it reads requests, one line of JSON each, and writes one move for each request.

    ggp-agent match tic_tac_toe --player random exec:"python3 docs/guide/text_player.py"

It needs only Python. It completes and blocks lines on a board, for moves such as (mark 2 3) that place a piece, and it
prefers moves to the middle. If its last answer was refused, it plays a random move.
"""

import json
import random
import re
import sys


def place(move):
    """Return the numbers in a move: (mark 2 3) has 2 and 3."""
    return tuple(int(word) for word in re.findall(r"\d+", move))


def line(cell, pieces):
    """Return the length of the longest line of pieces through a cell, if a piece is placed there."""
    longest = 1
    for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            x, y = cell
            while (x := x + sign * step[0], y := y + sign * step[1]) in pieces:
                length += 1
        longest = max(longest, length)
    return longest


def choose(request):
    """Return the number of the best legal move."""
    legal = request["legal"]
    if request["error"]:
        return random.randint(1, len(legal))
    me = request["roles"].index(request["role"])
    history = request.get("history", [])  # games with hidden information have "moves" and "percepts" instead
    mine = {place(joint[me]) for joint in history}
    theirs = {place(move) for joint in history for role, move in enumerate(joint) if role != me}
    places = [place(move) for move in legal]
    middle = [sum(column) / len(column) for column in zip(*filter(None, places), strict=False)]

    def value(cell):
        longest = max(line(cell, mine), 0.9 * line(cell, theirs)) if len(cell) == 2 else 0
        distance = sum(abs(one - other) for one, other in zip(cell, middle, strict=False))
        return longest - 0.01 * distance

    return max(range(len(legal)), key=lambda index: value(places[index])) + 1


for text in sys.stdin:
    print(choose(json.loads(text)), flush=True)
