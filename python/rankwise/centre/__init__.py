"""The runs of a whole computing centre: a data set of Parquet files, and the questions that it answers."""
