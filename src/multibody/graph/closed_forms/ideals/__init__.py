"""Closed forms modulo known identities: ideals of polynomials, their bases, and reduction by them."""
