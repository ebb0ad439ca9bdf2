-- The state of a tournament. Raise the version in tournament_store.py with every change.

CREATE TABLE tournament (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- failures: consecutive matches without a legal move. benched: the reason why the player is benched, otherwise empty.
CREATE TABLE players (
    name TEXT PRIMARY KEY,
    spec TEXT NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    benched TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- The schedule. deaths: how often the worker of the match died. match_id: the attempt that counts.
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    game TEXT NOT NULL,
    seed INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'finished', 'cancelled', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    deaths INTEGER NOT NULL DEFAULT 0,
    match_id TEXT
);
CREATE INDEX matches_by_state ON matches (state, number);

-- player: NULL for chance. goal: NULL until the match is finished, and if the rules give no goal value.
CREATE TABLE seats (
    match INTEGER NOT NULL REFERENCES matches,
    seat INTEGER NOT NULL,
    role TEXT NOT NULL,
    player TEXT REFERENCES players,
    goal INTEGER,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
CREATE INDEX seats_by_player ON seats (player);

-- The attempts to play a match; times in milliseconds since 1970.
CREATE TABLE attempts (
    match_id TEXT PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES matches,
    began INTEGER NOT NULL,
    ended INTEGER,
    outcome TEXT NOT NULL DEFAULT 'running' CHECK (outcome IN ('running', 'finished', 'aborted', 'died', 'failed'))
) WITHOUT ROWID;

-- The moves of finished matches. Turn 0 is START, which has no move.
CREATE TABLE moves (
    match INTEGER NOT NULL REFERENCES matches,
    turn INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    move TEXT,
    milliseconds INTEGER NOT NULL,
    error TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (match, turn, seat)
) WITHOUT ROWID;

-- The byes of a Swiss tournament.
CREATE TABLE byes (
    round INTEGER NOT NULL,
    player TEXT NOT NULL REFERENCES players,
    size INTEGER NOT NULL,
    PRIMARY KEY (round, player, size)
) WITHOUT ROWID;

-- Resident memory at the end of an attempt, in MB: 'table' (the worker), the director, and each player of the worker.
CREATE TABLE memory (
    match_id TEXT NOT NULL REFERENCES attempts,
    process TEXT NOT NULL,
    megabytes REAL NOT NULL,
    PRIMARY KEY (match_id, process)
) WITHOUT ROWID;
