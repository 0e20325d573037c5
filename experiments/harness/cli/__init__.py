"""What the command line needs: jobs and actions, help, record sets made on demand."""
