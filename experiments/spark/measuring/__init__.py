"""What the experiments of this folder measure: functions from a cell to a row's columns, and their compiled loops."""
