"""A placement as a drawing: the bytes between ranks, before and after."""
