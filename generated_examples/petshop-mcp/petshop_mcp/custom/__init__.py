"""Yours: mcpgen makes this folder once and never touches it again.

What the manifest leaves to code is written here, in the module of its namespace; the first run makes it with a stub for
each. To change how any other tool works, override its method there, or in a new module in the same way:

    # custom/pet.py
    from ..tools import pet as generated


    class PetTools(generated.PetTools):
        async def pets_for_sale(self, **arguments):
            return await super().pets_for_sale(**arguments)

The server takes your class where there is one. Tools that you do not override stay as generated.
"""
