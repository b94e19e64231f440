"""Access tokens by OAuth 2: given, had with a refresh token, by an earlier login, or for client credentials.

A token that we had is renewed before it ends, once for all calls that wait. Token requests go to the endpoints that the document
names, or that the OpenID provider it names does (OpenID Connect Discovery 1.0 §4).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from .credentials import Added, Credential, basic, forget_command, is_set, value_of
from .errors import ToolError
from .serialize import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Task

    from .credentials import Exchange
    from .errors import Json

EARLY = 60.0  # seconds before its end that a token is renewed, or a tenth of its life


class OAuth2(Credential):
    """`token`, `refresh_token`, `client_id` and `client_secret` name environment variables; the rest are URLs and scopes.

    `program` is the command whose `login` keeps tokens for us, under the name of the `scheme`; the Api sets both.
    """

    def __init__(
        self,
        *,
        token: str,
        refresh_token: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        authorization_url: str | None = None,
        token_url: str | None = None,
        device_url: str | None = None,
        discovery_url: str | None = None,
        client_credentials: bool = True,
        scopes: Sequence[str] = (),
    ) -> None:
        self.token = token
        self.refresh_token = refresh_token
        self.client_id = client_id
        self.client_secret = client_secret
        self.authorization_url = authorization_url
        self.token_url = token_url
        self.device_url = device_url
        self.discovery_url = discovery_url
        self.client_credentials = client_credentials
        self.scopes = scopes
        self.program = ""
        self.scheme = ""
        self._access_token = ""
        self._renewed_by = ""  # the refresh token that goes with it
        self._renew_at = 0.0
        self._renewal: Task[None] | None = None
        self._secret_in_body = False

    @property
    def can_log_in(self) -> bool:
        return bool(self.authorization_url or self.device_url or self.discovery_url)

    def variables(self) -> tuple[str, ...]:
        names = (self.token, self.refresh_token, self.client_id, self.client_secret)
        return tuple(name for name in names if name)

    def missing(self) -> tuple[str, ...]:
        if is_set(self.token) or self._access_token:
            return ()
        ways = [self.token]
        if self._knows_endpoint and self.refresh_token:
            if is_set(self.refresh_token):
                return ()
            ways.append(self.refresh_token)
        if self._knows_endpoint and self.client_credentials and self.client_id:
            pair = [self.client_id, *([self.client_secret] if self.client_secret else [])]
            unset = [name for name in pair if not is_set(name)]
            if not unset:
                return ()
            ways.append(" and ".join(pair))
            if len(unset) < len(pair):
                ways = unset
        if self._stored():
            return ()
        hint = f" (or run `{self.program} login`)" if self.can_log_in and self.program else ""
        return (", or ".join(ways) + hint,)

    @property
    def _knows_endpoint(self) -> bool:
        return bool(self.token_url or self.discovery_url)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        token = await value_of(self.token)
        if not token:
            for name in (self.client_secret, self.refresh_token):
                added.secrets.append(await value_of(name) or "" if name else "")
            token = await self._own_token(exchange)
        added.headers["Authorization"] = f"Bearer {token}"
        added.secrets.append(token)

    def forget(self, refused: Added) -> bool:
        if is_set(self.token):
            return forget_command(self.token, refused)
        if self._access_token in refused.secrets:  # else another call has had a new one since
            self._renew_at = 0.0
        return bool(self._access_token)

    def _stored(self) -> Mapping[str, Json] | None:
        if not (self.program and self.can_log_in):
            return None
        from .token_store import load

        return load(self.program, self.scheme)

    async def _own_token(self, exchange: Exchange) -> str:
        import asyncio

        if time.time() >= self._renew_at:
            loop = asyncio.get_running_loop()
            task = self._renewal
            if task is None or task.done() or task.get_loop() is not loop:
                # One renewal for all calls that wait; a call that is cancelled leaves it to the others.
                self._renewal = loop.create_task(self._renew(exchange))
                self._renewal.add_done_callback(lambda task: task.cancelled() or task.exception())
            assert self._renewal
            await asyncio.shield(self._renewal)
        return self._access_token

    async def _renew(self, exchange: Exchange) -> None:
        given = (await value_of(self.refresh_token) if self.refresh_token else None) or ""
        stored = self._stored() or {}
        if not given and stored:
            is_fresh = stored["access_token"] != self._access_token
            if is_fresh and stored["renew_at"] > time.time():
                self._access_token, self._renew_at = stored["access_token"], stored["renew_at"]
                return
        refresh = self._renewed_by or given or stored.get("refresh_token") or ""
        if refresh:
            form = {"grant_type": "refresh_token", "refresh_token": refresh}
        elif stored:
            raise ToolError(
                "missing_credentials", f"The login has ended: run `{self.program} login` again"
            )
        else:
            form = {"grant_type": "client_credentials"}
            if self.scopes:
                form["scope"] = " ".join(self.scopes)
        answer = await self.ask(form, exchange)
        self._access_token = answer["access_token"]
        self._renew_at = renewal_time(answer)
        if refresh:
            # A server may give a new one each time, and end the old (RFC 6749 §6).
            self._renewed_by = answer.get("refresh_token") or refresh
        if stored and not given:
            self.keep({"refresh_token": refresh, **answer})

    def keep(self, answer: Mapping[str, Json]) -> str:
        """Store what a token endpoint answered; gives where."""
        from .token_store import save

        kept = {
            "access_token": answer["access_token"],
            "refresh_token": answer.get("refresh_token"),
            "renew_at": renewal_time(answer),
        }
        return save(self.program, self.scheme, kept)

    async def ask(self, form: dict[str, str], exchange: Exchange) -> dict[str, Json]:
        """The token endpoint's answer, with an access_token."""
        url = self.token_url or (await self.discover(exchange)).get("token_endpoint") or ""
        name = (await value_of(self.client_id) if self.client_id else None) or ""
        secret = (await value_of(self.client_secret) if self.client_secret else None) or ""
        in_body = form | ({"client_id": name} if name else {})
        in_body |= {"client_secret": secret} if secret else {}
        if self._secret_in_body or not (name and secret):
            answer = await exchange(url, in_body, {})
        else:
            try:
                # RFC 6749 §2.3.1: every server takes it as Basic, each part form-encoded first.
                header = basic(quote(name), quote(secret))
                answer = await exchange(url, form, {"Authorization": header})
            except ToolError as error:
                if error.status not in (400, 401):
                    raise
                answer = await exchange(url, in_body, {})  # ... but some do not
                self._secret_in_body = True
        token = answer.get("access_token") if isinstance(answer, dict) else None
        if not isinstance(token, str) or not token or not token.isprintable():
            raise ToolError("upstream_invalid", f"{url} answered without an access_token")
        found: dict[str, Json] = answer
        return found

    async def discover(self, exchange: Exchange) -> Mapping[str, Json]:
        """The provider's metadata, once."""
        if not self.discovery_url:
            return {}
        found = await exchange(self.discovery_url, None, {})
        if not isinstance(found, dict) or not isinstance(found.get("token_endpoint"), str):
            reason = f"{self.discovery_url} is no OpenID Connect discovery document"
            raise ToolError("upstream_invalid", reason)
        self.token_url = found["token_endpoint"]
        self.authorization_url = self.authorization_url or found.get("authorization_endpoint")
        self.device_url = self.device_url or found.get("device_authorization_endpoint")
        return found


def renewal_time(answer: Mapping[str, Json]) -> float:
    """When a token is to be renewed, as `time.time()`; where the server does not say, in five minutes."""
    try:
        lifetime = max(0.0, float(answer.get("expires_in")))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        lifetime = 300.0
    return time.time() + lifetime - min(EARLY, lifetime / 10)
