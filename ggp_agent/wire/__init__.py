"""The match protocol: what managers and players send each other, and how it goes over HTTP.

messages, message_text   messages, and text to words and lists
clocks                   deadlines and margins
http_request             a request as a player reads it
dialects                 requests as known managers write them
client, player_address   one player over HTTP
exchange, http_reply     messages to many players at once, and what comes back
"""
