"""The tools, one module per namespace; each is imported when one of its tools is first called."""
