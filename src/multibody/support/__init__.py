"""Services used by several packages: files, optional libraries, progress, tables and figures."""
