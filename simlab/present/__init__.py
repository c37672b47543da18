"""How the lab presents an answer: blocks, one number format, and renderers for terminal, HTML, JSON and notebook."""
