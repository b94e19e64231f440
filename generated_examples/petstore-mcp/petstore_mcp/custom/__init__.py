"""Yours: mcpgen makes this folder once and never touches it again.

To change how a tool works, make a module here with the name of its namespace and subclass the generated class:

    # custom/pet.py
    from ..tools import pet as generated


    class PetTools(generated.PetTools):
        async def update_pet(self, **arguments):
            return await super().update_pet(**arguments)

The server takes your class where there is one. Tools that you do not override stay as generated.
"""
