-- The study: its name and its budget.
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- The cells of the table; `document` has the values that determine the results as JSON.
CREATE TABLE cells (
    number INTEGER PRIMARY KEY,
    game TEXT NOT NULL,
    variant TEXT NOT NULL,
    column_name TEXT NOT NULL,
    roles TEXT NOT NULL DEFAULT '[]',
    document TEXT NOT NULL
);
-- Machines that played games: cpu, kernel, system, version and commit of the program, as one line of JSON.
CREATE TABLE hosts (number INTEGER PRIMARY KEY, description TEXT NOT NULL UNIQUE);
-- Finished games. `seat` is 0 and 1 for the two games of a pair. JSON lists have an entry for each role.
CREATE TABLE games (
    cell INTEGER NOT NULL REFERENCES cells (number),
    pair INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    seats TEXT NOT NULL,
    goals TEXT NOT NULL,
    turns INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    simulations TEXT NOT NULL,
    cpu_seconds TEXT NOT NULL,
    error TEXT NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts (number),
    PRIMARY KEY (cell, pair, seat)
) WITHOUT ROWID;
-- The counts of the answers of text players: a JSON list with an entry for each role, null for other players.
CREATE TABLE answers (
    cell INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (cell, pair, seat)
) WITHOUT ROWID;
-- Statistics of the simulations of each game (`arena/samples.py`): a JSON list of objects, one for each role.
CREATE TABLE IF NOT EXISTS samples (
    cell INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    means TEXT NOT NULL,
    PRIMARY KEY (cell, pair, seat)
) WITHOUT ROWID;
-- Runs of the program: start, number of processes, time and moves.
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    began TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0,
    jobs INTEGER NOT NULL,
    host INTEGER NOT NULL REFERENCES hosts (number),
    cpu_seconds REAL NOT NULL DEFAULT 0,
    moves INTEGER NOT NULL DEFAULT 0
);
