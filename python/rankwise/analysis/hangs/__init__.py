"""Why a job stands still: who waits for whom, and at whom it ends."""
