"""The command line: jobs and actions, help, record sets made on demand."""
