"""Yours: mcpgen makes this folder once and never touches it again.

What the manifest leaves to code is written here, in the module of its namespace; the first run makes it with a stub for
each. To change how any other tool works, override its method there, or in a new module in the same way:

    # custom/everything.py
    from ..tools import everything as generated


    class EverythingTools(generated.EverythingTools):
        async def test_simple_text(self, **arguments):
            return await super().test_simple_text(**arguments)

The server takes your class where there is one. Tools that you do not override stay as generated.
"""
