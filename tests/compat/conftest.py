"""Scripts in the style of other tools are run by tests, not collected for doctests."""

collect_ignore_glob = ["*_scripts/*"]
