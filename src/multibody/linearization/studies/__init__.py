"""Poles along a parameter: root loci, critical values and sensitivities."""
