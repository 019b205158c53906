"""C and C++: functions of (t, q, u, r, p) that allocate nothing and keep nothing."""
