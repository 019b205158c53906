"""The question that a run answers: equations as numbers in memory, inputs, and where to begin."""
