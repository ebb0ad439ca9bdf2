"""What single hand-coded games know, by hand: rules that play seldom meets, qualities, evaluations, policies."""

from __future__ import annotations

import math

import pytest

from ggp_agent.common.errors import UserError
from ggp_agent.game.native.native_machine import NativeMachine
from ggp_agent.game.native.registry import native_game
from ggp_agent.mcts.config import SearchConfig
from ggp_agent.mcts.searcher import Searcher


def test_amazons_knowledge_by_hand() -> None:
    game = native_game("amazons_6x6")
    rows = ["bx....", "xx....", ".....x", ".....x", "xx.xxx", "wx.xwb"]
    # Nothing is free beside any amazon.
    state = game.read_board("\n".join([*rows, "white to move"]))
    assert game.is_over(state)
    assert game.goals(state) == (0, 100)
    assert game.evaluate(state, "mobility") == 0
    assert game.core.quality(state) == 0
    rows[4], rows[5] = "xx.x.x", "wx.xwb"
    # White goes from e1 to e2 .. e6, black from f1 to e2, d3 and c4; b5 is an arrow.
    state = game.read_board("\n".join([*rows, "black to move"]))
    assert game.legal(state)
    assert game.evaluate(state, "mobility") == pytest.approx(math.tanh((5 - 3) / 20))
    assert game.core.quality(state) == 5 / 16


def test_breakthrough_policy_wins_at_once_and_defends_its_home() -> None:
    game = native_game("breakthrough_6x6")
    assert game.playouts(500, policy="game").mean_length != game.playouts(500).mean_length
    searcher = Searcher(NativeMachine(game), SearchConfig.from_toml('in_flight = 1\n[playout]\npolicy = "game"'))
    # Whoever is to move wins with the next move, so every play-out ends with that.
    searcher.set_root(game.read_board("......\n.w....\n......\n......\n....b.\n......\nwhite to move"))
    assert searcher.run(simulations=30).bounds["white"] == (100, 100)


def test_breakthrough_evaluations_by_hand() -> None:
    game = native_game("breakthrough")
    rows = ["........", "........", "...w....", "........", "........", "b.......", "w.......", "........"]
    state = game.read_board("\n".join([*rows, "black to move"]))
    # Two pieces, one on row 6, against one on its own row 6: 10 more; squares 21 + 2 against 16.
    assert game.evaluate(state, "pieces") == pytest.approx(0.16514, abs=1e-4)
    assert game.evaluate(state, "squares") == pytest.approx(0.06989, abs=1e-4)


def test_breakthrough_quality_by_hand() -> None:
    game = native_game("breakthrough")
    rows = ["w.......", "b.......", "........", "w.......", "w.......", "w.......", "w.......", "........"]
    assert game.core.quality(game.read_board("\n".join([*rows, "black to move"]))) == 4 / 16
    rows[5:7] = ["b.......", "b......."]
    rows[3] = rows[4] = "b......."
    assert game.core.quality(game.read_board("\n".join([*rows, "black to move"]))) == 0


def test_checkers_knowledge_by_hand() -> None:
    game = native_game("checkers")
    rows = ["w.......", "........", "....B...", "........", "........", ".W......", "w.......", ".......b"]
    state = game.read_board("\n".join([*rows, "white to move"]))
    # A man and a king against two men and a king: 7 - 8.
    assert game.evaluate(state, "pieces") == pytest.approx(-0.09967, abs=1e-4)
    # White cannot move.
    rows = ["........", "........", "........", ".w......", "b.b.....", "...B....", "........", "........"]
    state = game.read_board("\n".join([*rows, "white to move"]))
    assert game.is_over(state)
    assert game.goals(state) == (100, 0)
    assert game.core.quality(state) == pytest.approx(3 / 12)


def test_checkers_walks_around_count_once() -> None:
    game = native_game("checkers")
    rows = ["........", "...w.w..", "........", "...w.w..", "....B...", "........", "........", "........"]
    state = game.read_board("\n".join([*rows, "black to move"]))
    assert list(game.legal(state)) == ["15x22x31x24x15"]
    assert game.read_move(state, "15x24x31x22x15") == game.read_move(state, "15x22x31x24x15")
    assert len(game.sheet_turns("black", "15x22x31x24x15")) == 2
    after = game.play(state, "15x24x31x22x15")
    assert game.is_over(after)
    assert game.goals(after) == (100, 0)


@pytest.mark.parametrize(("name", "most"), [("checkers", 50), ("checkers_25", 25)])
def test_checkers_are_drawn_by_quiet_turns(name: str, most: int) -> None:
    game = native_game(name)
    rows = ["W.......", "........", "........", "........", "........", "........", "B.......", ".......B"]
    state = game.read_board("\n".join([*rows, f"quiet: {most - 2}", "black to move"]))
    for move, over in (("4-8", False), ("29-25", True)):
        state = game.play(state, move)
        assert game.is_over(state) == over
    assert game.goals(state) == (50, 50)
    # A king each is a draw at once, but not where who is to move has no move.
    rows = ["W.......", "........", "........", "........", "........", "........", "B.......", "........"]
    assert game.goals(game.read_board("\n".join([*rows, "black to move"]))) == (50, 50)


def star(red: str, teal: str, mover: str) -> bytes:
    """Return a position of chinese checkers early in a game."""
    pieces = [(role, cell) for role, cells in (("red", red), ("teal", teal)) for cell in cells.split()]
    fluents = [f"(piece {role} {ord(cell[0]) - ord('a')} {int(cell[1:]) - 1})" for role, cell in pieces]
    early = [] if mover == "red" else ["(moves 0)"]
    return native_game("chinese_checkers").state_of([*fluents, f"(turn {mover})", *early])


# Red lacks one cell of the tip it goes to, g11, and can step there.
NEARLY_THERE = "f13 e12 f12 e11 f11 g10"


def test_chinese_checkers_policy_wins_at_once() -> None:
    game = native_game("chinese_checkers")
    teal = "a4 b5 c5 i9 j4 f1"
    won = game.play(star(NEARLY_THERE, teal, "red"), "g10-g11")
    assert game.is_over(won)
    assert game.goals(won) == (100, 0)
    assert game.core.quality(won) == pytest.approx(5 / 6)  # one piece of teal is where it goes to
    searcher = Searcher(NativeMachine(game), SearchConfig.from_toml('in_flight = 1\n[playout]\npolicy = "game"'))
    searcher.set_root(star(NEARLY_THERE, teal, "red"))
    assert searcher.run(simulations=100).bounds["red"] == (100, 100)
    assert game.playouts(300, policy="game").mean_length < 0.85 * game.playouts(300).mean_length


def test_chinese_checkers_evaluation_by_hand() -> None:
    game = native_game("chinese_checkers")
    # Red has one step to go; teal has three, from h6 to g3.
    state = star(NEARLY_THERE, "f1 e2 f2 e3 f3 h6", "red")
    assert game.evaluate(state, "distance") == pytest.approx(0.19738, abs=1e-4)
    assert game.evaluate(game.initial, "distance") == 0


def test_pentalath_takes_all_groups_without_air() -> None:
    game = native_game("pentalath")
    rows = ["wbwww", ".w.bw.", "...ww..", "........", ".........", "........", ".......", "......", "....."]
    state = game.play(game.read_board("\n".join([*rows, "white to move"])), "f8")
    assert [line.split()[1:] for line in game.board(state).splitlines()[:2]] == [list("w.www"), list(".ww.w.")]


def test_pentalath_stones_need_air() -> None:
    game = native_game("pentalath")
    rows = [".bw..", "bbw...", "www....", "........", ".........", "........", ".......", "......", "....."]
    position = "\n".join([*rows, "{} to move"])
    # In the corner black would be without air; white takes the three there.
    assert "e9" not in game.legal(game.read_board(position.format("black")))
    assert game.board(game.play(game.read_board(position.format("white")), "e9")).splitlines()[0] == "9     w . w . ."


def test_pentalath_rows_by_hand() -> None:
    game = native_game("pentalath")
    rows = ["w...b", "......", ".......", "........", "..bbb.b..", "........", ".......", "ww....", "....."]
    state = game.read_board("\n".join([*rows, "white to move"]))
    # Rows of two and three; the fourth of black is not next to them.
    assert game.evaluate(state, "rows") == pytest.approx(-0.32151, abs=1e-4)
    # White 4, 3 stones and 9 cells beside them, 3 at e9 and 6 at the pair; black 6, 5 stones and 10 + 5 + 3 cells.
    assert game.evaluate(state, "position") == pytest.approx(-0.69107, abs=1e-4)
    rows = ["w...b", "......", ".......", "........", "wbbbb....", "........", ".......", "......", "wwwww"]
    assert game.core.quality(game.read_board("\n".join([*rows, "black to move"]))) == pytest.approx(1 / 5)
    rows[4] = "wbbbbw..."
    assert game.core.quality(game.read_board("\n".join([*rows, "black to move"]))) == pytest.approx(4 / 5)


def test_pentalath_is_a_draw_after_so_many_moves() -> None:
    game = native_game("pentalath")
    rows = ["w...b", "......", ".......", "........", ".........", "........", ".......", "......", "....."]
    state = game.read_board("\n".join([*rows, "moves: 199", "black to move"]))
    assert not game.is_over(state)
    state = game.play(state, "e5")
    assert game.is_over(state)
    assert game.goals(state) == (50, 50)
    assert game.core.quality(state) == 0


def cannon_position(rows: dict[int, str], mover: str = "white", moves: int = 300) -> str:
    """Write a position of cannon; rows that are not given are empty."""
    lines = [rows.get(row, "." * 10) for row in range(10, 0, -1)]
    return "\n".join([*lines, f"moves: {moves + (mover == 'black')}", f"{mover} to move"])


def test_cannon_pins_and_checks() -> None:
    game = native_game("cannon")
    # Black's cannon stands on column e, its gate is e2: the soldier there can but take e3.
    black = {10: "B.........", 5: "....b.....", 4: "....b.....", 3: "....b....."}
    pinned = {**black, 6: ".....w....", 2: "....w.....", 1: "....W....."}
    moves = game.legal(game.read_board(cannon_position(pinned)))
    assert [move for move in moves if move.startswith("e2")] == ["e2xe3"]
    # Without the soldier the town is attacked; what ends that stands or goes on e2 to e5.
    attacked = {**pinned, 2: "...w......"}
    moves = game.legal(game.read_board(cannon_position(attacked)))
    assert sorted(moves) == ["d2xe3"]
    # Black, to move, has not let that stand.
    with pytest.raises(UserError, match="white has just moved and its town is attacked"):
        game.read_board(cannon_position(attacked, "black"))


def test_cannon_policy_makes_games_short() -> None:
    game = native_game("cannon")
    assert game.playouts(300, policy="game").mean_length < 0.7 * game.playouts(300).mean_length


def test_cannon_is_a_draw_after_so_many_moves() -> None:
    game = native_game("cannon")
    rows = {10: "....B.....", 6: "b.........", 4: "w.........", 1: "....W....."}
    state = game.read_board(cannon_position(rows, "black", 998))
    assert not game.is_over(state)
    state = game.play(state, "a6-a5")
    assert (game.is_over(state), game.goals(state), game.core.quality(state)) == (True, (50, 50), 0)
    # No soldier is left, which is worse than a draw.
    del rows[6]
    state = game.play(game.read_board(cannon_position({**rows, 5: ".b........"}, "white", 998)), "a4xb5")
    assert (game.is_over(state), game.goals(state)) == (True, (100, 0))
    assert game.core.quality(state) == 1 / 15


def kalah(north: str, south: str, mover: str) -> bytes:
    """Return a position: the store of north and its houses 6 to 1; houses 1 to 6 of south and its store."""
    return native_game("kalah").read_board(f"north {north}\nsouth {south}\n{mover} to move")


def test_kalah_moves_again_takes_and_comes_round() -> None:
    game = native_game("kalah")
    again = game.play(game.initial, "3+")
    assert again == kalah("1 5 5 5 0 4 4", "4 4 4 4 4 4 0", "north")
    assert game.mover(again) == "north"
    # South's last seed falls into house 3, which is empty; across from it is house 4 of north.
    taking = kalah("5 3 2 1 9 0 4", "2 0 0 5 8 9 0", "south")
    assert "1x" in game.legal(taking)
    assert game.play(taking, "1") == kalah("5 3 2 0 9 0 4", "0 1 0 5 8 9 2", "north")
    # What is across may be nothing: the seed goes into the store all the same, and nothing is printed.
    nothing = kalah("5 3 2 0 9 0 4", "2 0 0 5 8 9 1", "south")
    assert "1" in game.legal(nothing)
    assert game.play(nothing, "1") == kalah("5 3 2 0 9 0 4", "0 1 0 5 8 9 2", "north")
    # Thirteen seeds come round to the house itself, which is then the empty one.
    round_it = kalah("2 1 1 1 1 1 13", "2 2 2 2 2 2 16", "north")
    assert game.play(round_it, "1x") == kalah("7 2 2 2 2 2 0", "3 3 3 3 3 0 16", "south")


def test_kalah_knowledge_by_hand() -> None:
    game = native_game("kalah")
    over = kalah("20 0 0 0 0 0 0", "0 3 0 0 0 0 25", "south")
    assert game.is_over(over)
    assert game.goals(over) == (0, 100)
    assert game.core.quality(over) == pytest.approx((28 - 20) / 48)
    drawn = kalah("24 0 0 0 0 0 0", "0 3 0 0 0 0 21", "north")
    assert game.goals(drawn) == (50, 50)
    assert game.core.quality(drawn) == 0
    for mover in game.roles:
        state = kalah("9 4 4 4 4 4 4", "1 1 1 1 1 6 4", mover)
        assert game.evaluate(state, "stores") == pytest.approx(math.tanh(0.5))


def test_kalah_policy_shortens_games() -> None:
    game = native_game("kalah")
    assert game.playouts(500, policy="game").mean_length < 0.9 * game.playouts(500).mean_length


def lines(*rows: str, mover: str = "black", moves: str = "moves: 20") -> bytes:
    """Return a position of Lines of Action; the rows from the bottom are empty where they are not given."""
    return native_game("lines_of_action").read_board(
        "\n".join([*rows, *["........"] * (8 - len(rows)), moves, f"{mover} to move"])
    )


def test_lines_of_action_moves_as_far_as_the_line_holds_pieces() -> None:
    game = native_game("lines_of_action")
    # Row 8 holds three pieces: a8 takes d8 over the own b8. The diagonal holds one, the column two.
    state = lines("bb.w....", "........", "....w...", "........", "........", "........", "........", "b.......")
    assert [move for move in game.legal(state) if move.startswith("a8")] == ["a8-a6", "a8-b7", "a8xd8"]
    taken = game.play(state, "a8-d8")
    assert game.is_over(taken)
    assert game.goals(taken) == (0, 100)  # white's last piece is one group, black is split
    # An enemy on the way stops it.
    blocked = lines("bw.w....", "........", "........", "........", "........", "........", "........", "b.......")
    assert not any(move.startswith("a8") and move.endswith("8") for move in game.legal(blocked))


def test_lines_of_action_pass_where_no_piece_can_move() -> None:
    game = native_game("lines_of_action")
    # Every line of h1 and of a8 holds too many pieces, or leads off the board or over an enemy.
    state = lines(
        "bw.w...w",
        "ww......",
        "........",
        "w.......",
        "........",
        ".......w",
        "......ww",
        "w....w.b",
        moves="moves: 40",
    )
    legal = game.legal(state)
    assert list(legal) == ["pass"]
    after = game.play(state, "pass")
    assert game.mover(after) == "white"
    assert game.board(after).splitlines()[:9] == game.board(state).splitlines()[:9]
    assert game.core.hash(after) == game.core.hash_anew(after)
    # The search passes, and goes on from there.
    searcher = Searcher(NativeMachine(game), SearchConfig(in_flight=4))
    searcher.set_root(state)
    assert searcher.run(simulations=50).best == ("pass", "noop")
    searcher.set_root(after)
    assert searcher.run(simulations=50).simulations == 50


def test_lines_of_action_knowledge_by_hand() -> None:
    game = native_game("lines_of_action")
    united = lines("bb......", ".b......", "........", "w.w.....", "...w....", "........", "w.......", "........")
    assert game.is_over(united)
    assert game.goals(united) == (100, 0)
    assert game.core.quality(united) == pytest.approx(2 / 12)
    # Black's pieces are 3.5 from their middle, white's 1; two that are side by side would be 0.5.
    state = lines("b......b", "........", "........", "w.w.....")
    assert game.evaluate(state, "concentration") == pytest.approx(math.tanh((0.5 - 3.0) / 2))
    # From the middle of the board black is 3.5 away, white 3.5 and 1.5: 2.5 on average.
    assert game.evaluate(state, "position") == pytest.approx(math.tanh((0.5 - 3.0) / 2 + (2.5 - 3.5) / 10))
    both = lines("bb......", "ww......", moves="moves: 30")
    assert game.goals(both) == (50, 50)
    last = lines("b......b", "w......w", moves="moves: 49", mover="white")
    assert game.goals(game.play(last, "a7-b6")) == (50, 50)


def test_lines_of_action_policy_ends_games() -> None:
    game = native_game("lines_of_action")
    assert game.playouts(500, policy="game").mean_quality > game.playouts(500).mean_quality + 0.05
