"""Many runs: their list, what stops scaling, what changed, what varies. Nothing here prints."""
