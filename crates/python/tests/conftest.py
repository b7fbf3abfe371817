"""Ctrl-C raises in all tests, also where whoever began them ignores it, as shells do for what runs in the background."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
