"""The process of a match, which the fork server forks, and the process that learns a game between matches.

worker           the connection with the server process; the policy for the kind of game
player_match     one match on several state machines
follower         one of these machines, and messages according to the rules
learning_worker  the learning of a game, and test games between its network and other configurations
messages         messages between the server process and forked processes; turns
"""
