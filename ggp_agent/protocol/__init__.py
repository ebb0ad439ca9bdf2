"""The match protocol: what managers and players send each other, and how it goes over HTTP.

messages, message_text   messages, and text to words and lists
clocks                   deadlines and margins
http_request             a request as a player reads it
connections              how many connections a server keeps at once
host_names               the names of this machine in the Host header of a request
dialects                 the headers of known managers
client                   messages to players, at the same time, on clocks of their own
http_client              one request to a player, and its reply
"""
