"""Model files of machines that are coupled from subsystems."""
