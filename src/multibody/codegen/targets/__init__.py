"""Languages and tools that equations of motion are written for, one module or package each."""
