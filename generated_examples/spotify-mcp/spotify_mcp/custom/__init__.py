"""Yours: mcpgen makes this folder once and never touches it again.

To change how a tool works, make a module here with the name of its namespace and subclass the generated class:

    # custom/albums.py
    from ..tools import albums as generated


    class AlbumsTools(generated.AlbumsTools):
        async def get_an_album(self, **arguments):
            return await super().get_an_album(**arguments)

The server takes your class where there is one. Tools that you do not override stay as generated.
"""
