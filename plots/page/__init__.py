"""What the report page says of runs, a file for each of its parts; `plots.report` puts them together."""
