"""What ``all.py`` is made of: running benchmarks, what is expected of them, the page and the plots."""
