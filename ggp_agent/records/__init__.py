"""Records of matches, in the JSON that GGP hosts and viewers share.

match_record              a match as it is being recorded
keeper                    keeps it on disk, also where that is full for a while
files                     records read again, our own and those of others
rules, played_turns       the rules and the states that belong to a record
check                     a record held against the rules
listing, details, viewer  what people are shown: many matches, one match, its moves with boards
signing, canonical_json   signatures, and the text that is signed
"""
