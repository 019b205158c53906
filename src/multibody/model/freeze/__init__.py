"""From a system to its frozen model: spanning tree, joints that close loops, parts that must not change."""
