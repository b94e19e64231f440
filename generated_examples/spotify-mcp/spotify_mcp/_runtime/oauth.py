"""Access tokens by OAuth 2: given, had with a refresh token, by an earlier login, or for client credentials.

A token that we had is renewed before it ends, once for all calls that wait. Token requests go to the endpoints that the document
names, or that the OpenID provider it names does (OpenID Connect Discovery 1.0 §4).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from .credentials import Added, Credential, Once, basic, forget_command, is_set, value_of
from .errors import ToolError
from .serialize import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .credentials import Exchange
    from .errors import Json

EARLY = 60.0  # seconds before its end that a token is renewed, or a tenth of its life
ENDPOINTS = ("token_endpoint", "authorization_endpoint", "device_authorization_endpoint")
# The members of a form that nobody may see in an error.
SECRETS = ("client_secret", "refresh_token", "code", "code_verifier", "device_code")
# What a server says that has not found our name and secret; "" is a server that does not keep to RFC 6749.
UNKNOWN_CLIENT = ("invalid_client", "unauthorized_client", "invalid_request", "")


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
        refresh_url: str | None = None,
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
        self.refresh_url = refresh_url
        self.device_url = device_url
        self.discovery_url = discovery_url
        self.client_credentials = client_credentials
        self.scopes = scopes
        self.program = ""
        self.scheme = ""
        self._issuer = discovery_url or token_url
        self._access_token = ""
        self._renew_at = 0.0
        self._newer: dict[str, str] = {}  # the refresh token that is given → the one to use now
        self._kept: Mapping[str, Json] | None = None
        self._looking = Once()
        self._renewal = Once()
        self._secret_in_body = False

    @property
    def can_log_in(self) -> bool:
        return bool(self.authorization_url or self.device_url or self.discovery_url)

    def variables(self) -> tuple[str, ...]:
        names = (self.token, self.refresh_token, self.client_id, self.client_secret)
        return tuple(name for name in names if name)

    async def look(self) -> None:
        if not is_set(self.token) and not self._access_token:
            await self._looking.run(self._find)

    async def _find(self) -> None:
        self._kept = await self._load()

    def missing(self) -> tuple[str, ...]:
        if is_set(self.token) or self._access_token or self._kept:
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
        hint = f" (or run `{self.program} login`)" if self.can_log_in and self.program else ""
        return (", or ".join(ways) + hint,)

    @property
    def _knows_endpoint(self) -> bool:
        return bool(self.token_url or self.discovery_url)

    async def apply(self, added: Added, exchange: Exchange) -> None:
        token = await value_of(self.token)
        if not token:
            if time.time() >= self._renew_at:
                await self._renewal.run(lambda: self._renew(exchange))
            token = self._access_token
        added.headers["Authorization"] = f"Bearer {token}"
        added.secrets.append(token)

    def forget(self, refused: Added) -> bool:
        if is_set(self.token):
            return forget_command(self.token, refused)
        if self._access_token in refused.secrets:  # else another call has had a new one since
            self._renew_at = 0.0
        return bool(self._access_token)

    # --- tokens of our own

    async def _renew(self, exchange: Exchange) -> None:
        """By the refresh token that is given, by what a login has left, else for client credentials."""
        given = await value_of(self.refresh_token)
        if given:
            try:
                answer = await self._refresh(self._newer.get(given, given), exchange)
            except _Ended:
                reason = f"The API takes {self.refresh_token} no longer: set it to a new token"
                raise ToolError("missing_credentials", reason) from None
            self._newer = {given: answer["refresh_token"]}
        elif kept := await self._load():
            return await self._renew_kept(kept, exchange)
        elif self.client_credentials:
            form = {"grant_type": "client_credentials"}
            if self.scopes:
                form["scope"] = " ".join(self.scopes)
            answer = await self.ask(self.token_url, form, exchange)
        else:
            raise self._logged_out()
        self._access_token, self._renew_at = answer["access_token"], renewal_time(answer)

    async def _renew_kept(self, kept: Mapping[str, Json], exchange: Exchange) -> None:
        """What a login has left, as it is while it is fresh and not what was refused, else renewed and kept again."""
        import asyncio

        if kept["access_token"] == self._access_token or kept["renew_at"] <= time.time():
            try:
                answer = await self._refresh(kept["refresh_token"], exchange)
                kept = self._to_keep(answer)
                await asyncio.to_thread(self._save, kept)
            except _Ended:
                # A refresh token may be good once only: has another server of this user been faster?
                newer = await self._load()
                if newer is None or newer["access_token"] == kept["access_token"]:
                    raise self._logged_out() from None
                kept = newer
        self._access_token, self._renew_at = kept["access_token"], kept["renew_at"]

    def _logged_out(self) -> ToolError:
        self._access_token = ""
        reason = f"The login has ended: run `{self.program} login` again"
        return ToolError("missing_credentials", reason)

    async def _refresh(self, token: str | None, exchange: Exchange) -> dict[str, Json]:
        """Raises _Ended where the token is good no longer."""
        if not token:
            raise _Ended
        try:
            form = {"grant_type": "refresh_token", "refresh_token": token}
            answer = await self.ask(self.refresh_url or self.token_url, form, exchange)
        except ToolError as error:
            if error_code(error) == "invalid_grant":
                raise _Ended from None
            raise
        # A server may give a new one each time, and end the old (RFC 6749 §6).
        return {**answer, "refresh_token": answer.get("refresh_token") or token}

    async def _load(self) -> Mapping[str, Json] | None:
        """What a login has left for the place where we would renew it; in a thread, since a keyring may ask its user."""
        if not (self.program and self.can_log_in):
            return None
        import asyncio

        from .token_store import load

        kept = await asyncio.to_thread(load, self.program, self.scheme)
        return kept if kept and kept["issuer"] == self._issuer else None

    def keep(self, answer: Mapping[str, Json]) -> str:
        """Store what a token endpoint answered; gives where."""
        return self._save(self._to_keep(answer))

    def _to_keep(self, answer: Mapping[str, Json]) -> dict[str, Json]:
        return {
            "issuer": self._issuer,
            "access_token": answer["access_token"],
            "refresh_token": answer.get("refresh_token"),
            "renew_at": renewal_time(answer),
        }

    def _save(self, kept: Mapping[str, Json]) -> str:
        from .token_store import save

        return save(self.program, self.scheme, kept)

    # --- the authorization server

    async def ask(
        self, url: str | None, form: dict[str, str], exchange: Exchange
    ) -> dict[str, Json]:
        """The token endpoint's answer, with an access_token. Without a URL it is discovered."""
        url = url or (await self.discover(exchange)).get("token_endpoint") or ""
        answer = await self.post(url, form, exchange)
        token = answer.get("access_token")
        if not isinstance(token, str) or not token or not token.isprintable():
            raise ToolError("upstream_invalid", f"{_shown(url)} answered without an access_token")
        return answer

    async def post(self, url: str, form: dict[str, str], exchange: Exchange) -> dict[str, Json]:
        """The object that an endpoint answers to a form of this client."""
        name, secret = await value_of(self.client_id), await value_of(self.client_secret)
        in_body = form | ({"client_id": name} if name else {})
        in_body |= {"client_secret": secret} if secret else {}
        # RFC 6749 §2.3.1: every server takes it as Basic, each part form-encoded first.
        header = basic(quote(name), quote(secret)) if name and secret else ""
        hidden = Added()
        hidden.secrets += [header[6:], *(in_body[one] for one in SECRETS if one in in_body)]
        try:
            if header and not self._secret_in_body:
                try:
                    return _object(url, await exchange(url, form, {"Authorization": header}))
                except ToolError as error:
                    if error.status not in (400, 401) or error_code(error) not in UNKNOWN_CLIENT:
                        raise
            answer = _object(url, await exchange(url, in_body, {}))
            self._secret_in_body = bool(header)  # some servers take it so only
            return answer
        except ToolError as error:
            hidden.hide(error)
            raise

    async def discover(self, exchange: Exchange) -> Mapping[str, Json]:
        """The provider's metadata; {} where no URL of it is known."""
        if not self.discovery_url:
            return {}
        found = await exchange(self.discovery_url, None, {})
        place = _shown(self.discovery_url)
        if not isinstance(found, dict) or not isinstance(found.get("token_endpoint"), str):
            reason = f"{place} is no OpenID Connect discovery document"
            raise ToolError("upstream_invalid", reason)
        urls = [str(found.get(name) or "") for name in ENDPOINTS]
        if place.startswith("https:") and any(one and not one.startswith("https:") for one in urls):
            raise ToolError("upstream_invalid", f"{place} names an endpoint without TLS")
        token, authorization, device = urls
        self.token_url = self.token_url or token
        self.authorization_url = self.authorization_url or authorization
        self.device_url = self.device_url or device
        return found


def _object(url: str, answer: Json) -> dict[str, Json]:
    if not isinstance(answer, dict):
        raise ToolError("upstream_invalid", f"{_shown(url)} answered no JSON object")
    code = answer.get("error")
    if isinstance(code, str) and "access_token" not in answer:  # some say so with status 200
        said = answer.get("error_description") or code
        message = f"{_shown(url)} answered: {said}"
        raise ToolError("upstream_status", message, status=400, detail=answer)
    return answer


def _shown(url: str) -> str:
    return url.partition("?")[0].rpartition("@")[2]


class _Ended(Exception):
    """A refresh token is good no longer."""


def error_code(error: ToolError) -> str:
    """The `error` of an authorization server (RFC 6749 §5.2)."""
    code = error.detail.get("error") if isinstance(error.detail, dict) else None
    return code if isinstance(code, str) else ""


def renewal_time(answer: Mapping[str, Json]) -> float:
    """When a token is to be renewed, as `time.time()`; where the server does not say, in five minutes."""
    try:
        lifetime = max(0.0, float(answer.get("expires_in")))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        lifetime = 300.0
    return time.time() + lifetime - min(EARLY, lifetime / 10)
