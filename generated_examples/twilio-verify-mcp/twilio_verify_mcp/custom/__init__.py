"""Yours: mcpgen makes this folder once and never touches it again.

To change how a tool works, make a module here with the name of its namespace and subclass the generated class:

    # custom/verify_v2_access_token.py
    from ..tools import verify_v2_access_token as generated


    class VerifyV2AccessTokenTools(generated.VerifyV2AccessTokenTools):
        async def create_access_token(self, **arguments):
            return await super().create_access_token(**arguments)

The server takes your class where there is one. Tools that you do not override stay as generated.
"""
