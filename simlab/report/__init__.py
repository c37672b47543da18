"""Results for people: tables in the terminal, figures, and one HTML file that needs no network.

Nothing is imported here: figures load matplotlib, the HTML report loads jinja2, each when it is needed.
"""
