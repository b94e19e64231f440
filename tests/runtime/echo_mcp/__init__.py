"""A package as the runtime sees one, for tests of the protocol; its catalog is in test_protocol.py."""
