"""Match records, in the JSON format of GGP game managers and viewers.

match_record                  the record of a match
keeper                        writes the file of a running match
read_record, record_terms     read records of this and other programs; compare terms
xml_record                    reads XML records of 2005 to 2008
record_rules, played_turns    the rules and the states of a record
record_check                  compares a record with the rules
record_list, details, viewer  show many matches, one match, its moves with boards
match_drawing, titles         pictures and animations of a match, and its title in words
analysis, values              expected goals of the positions of a match
record_puzzles                positions of a match with one winning move
signing                       signatures, and the text that is signed
"""
