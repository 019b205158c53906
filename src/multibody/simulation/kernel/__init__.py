"""The compiled loop over steps: stages, errors, projection, dense output and event location."""
