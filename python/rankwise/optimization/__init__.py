"""Everything that can be gained without touching the code, step by step: each is kept only if it is proven.

A step finds settings: of places, of collectives, of the whole library. `optimize` tries the steps in the
order of their expected gain, each on top of the steps kept before, and measures the whole again.
"""
