"""The match protocol between game managers and players: messages and their transport over HTTP.

messages, message_text  messages; text to words and lists
clocks                  deadlines and margins
http_request            parser of HTTP requests
connections             limits on the connections of a server
host_names              accepted names in the Host header
dialects                request formats of known managers
client                  concurrent messages to players, each with its own clock
http_client             one request to a player and its reply
web_client              requests to web servers
text_command            the specification `exec:COMMAND` of a text player
text_process            the program of a text player: one line for each request, within bounds
text_turns              one turn of a text player: request, repeated requests, answer; counts of answers
"""
