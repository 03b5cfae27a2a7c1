"""Fabrics by rule: fat trees, dragonflies and tori of any size, with the routes that their rules give."""
