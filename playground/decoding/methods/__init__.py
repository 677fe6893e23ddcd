"""One file per decoding method; the file name is the method's id."""
