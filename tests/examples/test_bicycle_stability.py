"""The bicycle among the examples: its critical speeds are the published ones."""

import pytest


def test_the_bicycle_is_stable_between_the_published_speeds(ran):
    """Meijaard and others 2007: v_w = 4.292382536 and v_c = 6.024262015 m/s."""
    found = ran("bicycle_stability")
    speeds = [one.value for one in (found["weave"], found["capsize"])]
    assert speeds == pytest.approx([4.29238253634111, 6.02426201538837], rel=1e-9)
