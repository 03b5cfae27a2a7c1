"""A placement as a drawing: who sends how much to whom, before and after."""
