"""Events, contacts and switching: what ends a step, and what happens then."""
