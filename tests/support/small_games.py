"""Small games for tests."""

# Two players take one or two of five matches in turn; the player who takes the last one wins.
NIM = """
(role first) (role second)
(init (heap 5)) (init (control first))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(other first second) (other second first)
(<= (minus ?n 1 ?m) (succ ?m ?n))
(<= (minus ?n 2 ?m) (succ ?k ?n) (succ ?m ?k))
(<= (legal ?p (take ?k)) (true (control ?p)) (true (heap ?n)) (minus ?n ?k ?m))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?m)) (true (heap ?n)) (does ?p (take ?k)) (minus ?n ?k ?m))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (heap 0)))
(<= (goal ?q 100) (true (control ?p)) (other ?p ?q) (true (heap 0)))
(<= (goal ?p 0) (true (control ?p)) (true (heap 0)))
(<= (goal ?p 50) (role ?p) (not (true (heap 0))))
"""


def nim(heap: int) -> str:
    """Return nim with a heap of another size, at least 5."""
    return NIM.replace(
        "(init (heap 5))", f"(init (heap {heap}))" + "".join(f"(succ {n} {n + 1})" for n in range(5, heap))
    )


def counting(turns: int) -> str:
    """Return a game in which both players count at the same time, one step per turn, with any moves."""
    return f"""
(role left) (role right)
(init (step 0))
{" ".join(f"(succ {n} {n + 1})" for n in range(turns))}
(<= (legal ?p wait) (role ?p)) (<= (legal ?p (Wave ?n)) (role ?p) (true (step ?n)))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step {turns})))
(<= (goal ?p 50) (role ?p))
"""


COUNTING = counting(4)

# The second role is chance itself: it draws a card, the first role has no choice.
CARDS = """
(role watcher) (role random)
(init start)
(card 1) (card 2) (card 3)
(<= (legal random (draw ?c)) (true start) (card ?c))
(<= (legal watcher noop) (true start))
(<= (next (drawn ?c)) (does random (draw ?c)))
(<= terminal (true (drawn ?c)))
(<= (goal watcher 100) (true (drawn 3))) (<= (goal watcher 0) (not (true (drawn 3))))
(goal random 0)
"""

# Of the doors 1 to 4 one is locked, and alice perceives nothing; she may open any other door.
DOORS = """
(role alice) (role random) (init (step 1)) (door 1) (door 2) (door 3) (door 4) (succ 1 2) (succ 2 3)
(<= (legal random (lock ?d)) (true (step 1)) (door ?d))
(<= (legal random noop) (not (true (step 1))))
(<= (legal alice noop) (true (step 1)))
(<= (legal alice (open ?d)) (door ?d) (not (true (step 1))) (not (true (locked ?d))))
(<= (next (locked ?d)) (does random (lock ?d))) (<= (next (locked ?d)) (true (locked ?d)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (opened ?d)) (does alice (open ?d)))
(<= (sees alice never) (true never))
(<= terminal (true (step 3)))
(<= (goal alice 100) (true (opened 4))) (<= (goal alice 0) (not (true (opened 4))))
"""

# Six players guess a die, twice, at the same time as chance throws it; a correct guess of the second throw wins.
GUESSING = """
(role p1) (role p2) (role p3) (role p4) (role p5) (role p6) (role random)
(init (throw 1))
(side 1) (side 2) (side 3)
(<= (legal ?p (guess ?n)) (role ?p) (distinct ?p random) (side ?n))
(<= (legal random (throws ?n)) (side ?n))
(<= (next (throw 2)) (true (throw 1)))
(<= (next over) (true (throw 2)))
(<= (next (right ?p)) (does ?p (guess ?n)) (does random (throws ?n)))
(<= terminal (true over))
(<= (goal ?p 100) (role ?p) (true (right ?p)))
(<= (goal ?p 0) (role ?p) (not (true (right ?p))))
"""

# Both show a coin at once. The value for `even` is 100/3; both show heads with 1/3.
COINS = """
(role even) (role odd) (init start) (side heads) (side tails)
(<= (legal ?r ?s) (role ?r) (side ?s)) (<= (next (shown ?r ?s)) (does ?r ?s)) (<= terminal (true (shown even ?s)))
(<= same (true (shown even ?s)) (true (shown odd ?s)))
(<= (goal even 100) (true (shown even heads)) (true (shown odd heads)))
(<= (goal even 50) (true (shown even tails)) (true (shown odd tails)))
(<= (goal even 0) (not same)) (<= (goal odd 0) (true (shown even heads)) (true (shown odd heads)))
(<= (goal odd 50) (true (shown even tails)) (true (shown odd tails))) (<= (goal odd 100) (not same))
"""
