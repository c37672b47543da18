"""The desk: a page on this machine to play with the rules of a game (`simlab desk GAME`).

asked    what is asked: knobs, bots, tables, seed; checked, saved as an experiment           no page
played   games of the printed rules and of the tweak, in the background, on the same luck    no page
told     the figures of both with their intervals, out of counts and pairs                   no page
drawn    the same as HTML and SVG                                                            no page
jobs     longer work in a process of its own: a full report, the contract                    no page
server   the address, its token, and who is let in
page     what one sees: controls, figures, and the viewer of single games (viewer)
"""
