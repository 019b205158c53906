"""Arguments of ``subsystem`` and ``couple``: names, values, relations and rows, read and checked."""
