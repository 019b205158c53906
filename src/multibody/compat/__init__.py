"""Other people's vocabulary, translated: models written with other tools become ours, and ours theirs."""
