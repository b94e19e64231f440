# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class CreateAccessTokenBody(TypedDict):
    Identity: str
    """The unique external identifier for the Entity of the Service."""
    FactorType: Literal['push']
    FactorFriendlyName: NotRequired[str]
    """The friendly name of the factor that is going to be created with this access token"""
    Ttl: NotRequired[int]
    """How long, in seconds, the access token is valid."""


class VerifyV2ServiceAccessToken(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Access Token."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Verify Service."""
    entity_identity: NotRequired[str | None]
    """The unique external identifier for the Entity of the Service."""
    factor_type: NotRequired[Literal['push']]
    factor_friendly_name: NotRequired[str | None]
    """A human readable description of this factor, up to 64 characters."""
    token: NotRequired[str | None]
    """The access token generated for enrollment, this is an encrypted json web token."""
    url: NotRequired[str | None]
    """The URL of this resource."""
    ttl: NotRequired[int]
    """How long, in seconds, the access token is valid."""
    date_created: NotRequired[str | None]
    """The date that this access token was created, given in ISO 8601 format."""


class CreateBucketBody(TypedDict):
    Max: int
    """Maximum number of requests permitted in during the interval."""
    Interval: int
    """Number of seconds that the rate limit will be enforced over."""


class VerifyV2ServiceRateLimitBucket(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Bucket."""
    rate_limit_sid: NotRequired[str | None]
    """The Twilio-provided string that uniquely identifies the Rate Limit resource."""
    service_sid: NotRequired[str | None]
    """The SID of the Service the resource is associated with."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Rate Limit resource."""
    max: NotRequired[int]
    """Maximum number of requests permitted in during the interval."""
    interval: NotRequired[int]
    """Number of seconds that the rate limit will be enforced over."""
    date_created: NotRequired[str | None]
    """The date and time in GMT when the resource was created specified in RFC 2822 format."""
    date_updated: NotRequired[str | None]
    """The date and time in GMT when the resource was last updated specified in RFC 2822 format."""
    url: NotRequired[str | None]
    """The URL of this resource."""


class ListBucketResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListBucketResponse(TypedDict):
    buckets: NotRequired[list[VerifyV2ServiceRateLimitBucket]]
    meta: NotRequired[ListBucketResponseMeta]


class UpdateBucketBody(TypedDict):
    Max: NotRequired[int]
    """Maximum number of requests permitted in during the interval."""
    Interval: NotRequired[int]
    """Number of seconds that the rate limit will be enforced over."""


CreateChallengeBody = TypedDict('CreateChallengeBody', {
    'FactorSid': str,
    'ExpirationDate': NotRequired[str],
    'Details.Message': NotRequired[str],
    'Details.Fields': NotRequired[list[Any]],
    'HiddenDetails': NotRequired[Any],
    'AuthPayload': NotRequired[str],})


ChallengeEnumChallengeStatuses: TypeAlias = Literal['pending', 'expired', 'approved', 'denied']


class VerifyV2ServiceEntityChallenge(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Challenge."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Challenge."""
    factor_sid: NotRequired[str | None]
    """The unique SID identifier of the Factor."""
    date_created: NotRequired[str | None]
    """The date that this Challenge was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Challenge was updated, given in ISO 8601 format."""
    date_responded: NotRequired[str | None]
    """The date that this Challenge was responded, given in ISO 8601 format."""
    expiration_date: NotRequired[str | None]
    """The date-time when this Challenge expires, given in ISO 8601 format."""
    status: NotRequired[ChallengeEnumChallengeStatuses]
    responded_reason: NotRequired[Literal['none', 'not_needed', 'not_requested']]
    details: NotRequired[Any]
    """Details provided to give context about the Challenge."""
    hidden_details: NotRequired[Any]
    """Details provided to give context about the Challenge."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the challenge."""
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    url: NotRequired[str | None]
    """The URL of this resource."""
    links: NotRequired[dict[str, Any] | None]
    """Contains a dictionary of URL links to nested resources of this Challenge."""


class ListChallengeResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListChallengeResponse(TypedDict):
    challenges: NotRequired[list[VerifyV2ServiceEntityChallenge]]
    meta: NotRequired[ListChallengeResponseMeta]


class UpdateChallengeBody(TypedDict):
    AuthPayload: NotRequired[str]
    """The optional payload needed to verify the Challenge."""
    Metadata: NotRequired[Any]
    """Custom metadata associated with the challenge."""


class CreateEntityBody(TypedDict):
    Identity: str
    """The unique external identifier for the Entity of the Service."""


class VerifyV2ServiceEntity(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Entity."""
    identity: NotRequired[str | None]
    """The unique external identifier for the Entity of the Service."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    date_created: NotRequired[str | None]
    """The date that this Entity was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Entity was updated, given in ISO 8601 format."""
    url: NotRequired[str | None]
    """The URL of this resource."""
    links: NotRequired[dict[str, Any] | None]
    """Contains a dictionary of URL links to nested resources of this Entity."""


class ListEntityResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListEntityResponse(TypedDict):
    entities: NotRequired[list[VerifyV2ServiceEntity]]
    meta: NotRequired[ListEntityResponseMeta]


class VerifyV2ServiceEntityFactor(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Factor."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Factor."""
    date_created: NotRequired[str | None]
    """The date that this Factor was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Factor was updated, given in ISO 8601 format."""
    friendly_name: NotRequired[str | None]
    """A human readable description of this resource, up to 64 characters."""
    status: NotRequired[Literal['unverified', 'verified']]
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    config: NotRequired[Any]
    """An object that contains configurations specific to a `factor_type`."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the factor."""
    url: NotRequired[str | None]
    """The URL of this resource."""


UpdateFactorBody = TypedDict('UpdateFactorBody', {
    'AuthPayload': NotRequired[str],
    'FriendlyName': NotRequired[str],
    'Config.NotificationToken': NotRequired[str],
    'Config.SdkVersion': NotRequired[str],
    'Config.TimeStep': NotRequired[int],
    'Config.Skew': NotRequired[int],
    'Config.CodeLength': NotRequired[int],
    'Config.Alg': NotRequired[Literal['sha1', 'sha256', 'sha512']],
    'Config.NotificationPlatform': NotRequired[str],})


class ListFactorResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListFactorResponse(TypedDict):
    factors: NotRequired[list[VerifyV2ServiceEntityFactor]]
    meta: NotRequired[ListFactorResponseMeta]


CreateNewFactorBody = TypedDict('CreateNewFactorBody', {
    'FriendlyName': str,
    'FactorType': Literal['push', 'totp', 'passkeys'],
    'Binding.Alg': NotRequired[str],
    'Binding.PublicKey': NotRequired[str],
    'Config.AppId': NotRequired[str],
    'Config.NotificationPlatform': NotRequired[Literal['apn', 'fcm', 'none']],
    'Config.NotificationToken': NotRequired[str],
    'Config.SdkVersion': NotRequired[str],
    'Binding.Secret': NotRequired[str],
    'Config.TimeStep': NotRequired[int],
    'Config.Skew': NotRequired[int],
    'Config.CodeLength': NotRequired[int],
    'Config.Alg': NotRequired[Literal['sha1', 'sha256', 'sha512']],
    'Metadata': NotRequired[Any],})


class VerifyV2ServiceEntityNewFactor(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Factor."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Factor."""
    binding: NotRequired[Any]
    """Contains the `factor_type` specific secret and metadata."""
    options: NotRequired[Any]
    date_created: NotRequired[str | None]
    """The date that this Factor was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Factor was updated, given in ISO 8601 format."""
    friendly_name: NotRequired[str | None]
    """The friendly name of this Factor."""
    status: NotRequired[Literal['unverified', 'verified']]
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    config: NotRequired[Any]
    """An object that contains configurations specific to a `factor_type`."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the factor."""
    url: NotRequired[str | None]
    """The URL of this resource."""


class VerifyV2Form(TypedDict):
    form_type: NotRequired[Literal['form-push']]
    forms: NotRequired[Any]
    """Object that contains the available forms for this type."""
    form_meta: NotRequired[Any]
    """Additional information for the available forms for this type."""
    url: NotRequired[str | None]
    """The URL to access the forms for this type."""


class CreateMessagingConfigurationBody(TypedDict):
    Country: str
    """The ISO-3166-1 country code of the country this configuration will be applied to."""
    MessagingServiceSid: str
    """The SID of the Messaging Service to be used to send SMS to the country of this configuration."""


class VerifyV2ServiceMessagingConfiguration(TypedDict):
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Service resource."""
    service_sid: NotRequired[str | None]
    """The SID of the Service that the resource is associated with."""
    country: NotRequired[str | None]
    """The ISO-3166-1 country code of the country this configuration will be applied to."""
    messaging_service_sid: NotRequired[str | None]
    """The SID of the Messaging Service to be used to send SMS to the country of this configuration."""
    date_created: NotRequired[str | None]
    """The date and time in GMT when the resource was created specified in RFC 2822 format."""
    date_updated: NotRequired[str | None]
    """The date and time in GMT when the resource was last updated specified in RFC 2822 format."""
    url: NotRequired[str | None]
    """The URL of this resource."""


class ListMessagingConfigurationResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListMessagingConfigurationResponse(TypedDict):
    messaging_configurations: NotRequired[list[VerifyV2ServiceMessagingConfiguration]]
    meta: NotRequired[ListMessagingConfigurationResponseMeta]


class UpdateMessagingConfigurationBody(TypedDict):
    MessagingServiceSid: str
    """The SID of the Messaging Service to be used to send SMS to the country of this configuration."""


class CreateNotificationBody(TypedDict):
    Ttl: NotRequired[int]
    """How long, in seconds, the notification is valid."""


class VerifyV2ServiceEntityChallengeNotification(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Notification."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Challenge."""
    challenge_sid: NotRequired[str | None]
    """The unique SID identifier of the Challenge."""
    priority: NotRequired[str | None]
    """The priority of the notification."""
    ttl: NotRequired[int]
    """How long, in seconds, the notification is valid."""
    date_created: NotRequired[str | None]
    """The date that this Notification was created, given in ISO 8601 format."""


class CreateRateLimitBody(TypedDict):
    UniqueName: str
    """Provides a unique and addressable name to be assigned to this Rate Limit, assigned by the…"""
    Description: NotRequired[str]
    """Description of this Rate Limit"""


class VerifyV2ServiceRateLimit(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Rate Limit."""
    service_sid: NotRequired[str | None]
    """The SID of the Service the resource is associated with."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Rate Limit resource."""
    unique_name: NotRequired[str | None]
    """Provides a unique and addressable name to be assigned to this Rate Limit, assigned by the…"""
    description: NotRequired[str | None]
    """Description of this Rate Limit"""
    date_created: NotRequired[str | None]
    """The date and time in GMT when the resource was created specified in RFC 2822 format."""
    date_updated: NotRequired[str | None]
    """The date and time in GMT when the resource was last updated specified in RFC 2822 format."""
    url: NotRequired[str | None]
    """The URL of this resource."""
    links: NotRequired[dict[str, Any] | None]
    """The URLs of related resources."""


class ListRateLimitResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListRateLimitResponse(TypedDict):
    rate_limits: NotRequired[list[VerifyV2ServiceRateLimit]]
    meta: NotRequired[ListRateLimitResponseMeta]


class UpdateRateLimitBody(TypedDict):
    Description: NotRequired[str]
    """Description of this Rate Limit"""


class CreateSafelistBody(TypedDict):
    PhoneNumber: str
    """The phone number to be added in SafeList."""


class VerifyV2Safelist(TypedDict):
    sid: NotRequired[str | None]
    """The unique string that we created to identify the SafeList resource."""
    phone_number: NotRequired[str | None]
    """The phone number in SafeList."""
    url: NotRequired[str | None]
    """The absolute URL of the SafeList resource."""


CreateServiceBody = TypedDict('CreateServiceBody', {
    'FriendlyName': str,
    'CodeLength': NotRequired[int],
    'LookupEnabled': NotRequired[bool],
    'SkipSmsToLandlines': NotRequired[bool],
    'DtmfInputRequired': NotRequired[bool],
    'TtsName': NotRequired[str],
    'Psd2Enabled': NotRequired[bool],
    'DoNotShareWarningEnabled': NotRequired[bool],
    'CustomCodeEnabled': NotRequired[bool],
    'Push.IncludeDate': NotRequired[bool],
    'Push.ApnCredentialSid': NotRequired[str],
    'Push.FcmCredentialSid': NotRequired[str],
    'Totp.Issuer': NotRequired[str],
    'Totp.TimeStep': NotRequired[int],
    'Totp.CodeLength': NotRequired[int],
    'Totp.Skew': NotRequired[int],
    'DefaultTemplateSid': NotRequired[str],
    'Whatsapp.MsgServiceSid': NotRequired[str],
    'Whatsapp.From': NotRequired[str],
    'Passkeys.RelyingParty.Id': NotRequired[str],
    'Passkeys.RelyingParty.Name': NotRequired[str],
    'Passkeys.RelyingParty.Origins': NotRequired[str],
    'Passkeys.AuthenticatorAttachment': NotRequired[str],
    'Passkeys.DiscoverableCredentials': NotRequired[str],
    'Passkeys.UserVerification': NotRequired[str],
    'VerifyEventSubscriptionEnabled': NotRequired[bool],})


class VerifyV2Service(TypedDict):
    sid: NotRequired[str | None]
    """The unique string that we created to identify the Service resource."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Service resource."""
    friendly_name: NotRequired[str | None]
    """The name that appears in the body of your verification messages."""
    code_length: NotRequired[int]
    """The length of the verification code to generate."""
    lookup_enabled: NotRequired[bool | None]
    """Whether to perform a lookup with each verification started and return info about the phone number."""
    psd2_enabled: NotRequired[bool | None]
    """Whether to pass PSD2 transaction parameters when starting a verification."""
    skip_sms_to_landlines: NotRequired[bool | None]
    """Whether to skip sending SMS verifications to landlines."""
    dtmf_input_required: NotRequired[bool | None]
    """Whether to ask the user to press a number before delivering the verify code in a phone call."""
    tts_name: NotRequired[str | None]
    """The name of an alternative text-to-speech service to use in phone calls."""
    do_not_share_warning_enabled: NotRequired[bool | None]
    """Whether to add a security warning at the end of an SMS verification body."""
    custom_code_enabled: NotRequired[bool | None]
    """Whether to allow sending verifications with a custom code instead of a randomly generated one."""
    push: NotRequired[Any]
    """Configurations for the Push factors (channel) created under this Service."""
    totp: NotRequired[Any]
    """Configurations for the TOTP factors (channel) created under this Service."""
    default_template_sid: NotRequired[str | None]
    whatsapp: NotRequired[Any]
    passkeys: NotRequired[Any]
    verify_event_subscription_enabled: NotRequired[bool | None]
    """Whether to allow verifications from the service to reach the stream-events sinks if configured"""
    date_created: NotRequired[str | None]
    """The date and time in GMT when the resource was created specified in RFC 2822 format."""
    date_updated: NotRequired[str | None]
    """The date and time in GMT when the resource was last updated specified in RFC 2822 format."""
    url: NotRequired[str | None]
    """The absolute URL of the resource."""
    links: NotRequired[dict[str, Any] | None]
    """The URLs of related resources."""


class ListServiceResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListServiceResponse(TypedDict):
    services: NotRequired[list[VerifyV2Service]]
    meta: NotRequired[ListServiceResponseMeta]


UpdateServiceBody = TypedDict('UpdateServiceBody', {
    'FriendlyName': NotRequired[str],
    'CodeLength': NotRequired[int],
    'LookupEnabled': NotRequired[bool],
    'SkipSmsToLandlines': NotRequired[bool],
    'DtmfInputRequired': NotRequired[bool],
    'TtsName': NotRequired[str],
    'Psd2Enabled': NotRequired[bool],
    'DoNotShareWarningEnabled': NotRequired[bool],
    'CustomCodeEnabled': NotRequired[bool],
    'Push.IncludeDate': NotRequired[bool],
    'Push.ApnCredentialSid': NotRequired[str],
    'Push.FcmCredentialSid': NotRequired[str],
    'Totp.Issuer': NotRequired[str],
    'Totp.TimeStep': NotRequired[int],
    'Totp.CodeLength': NotRequired[int],
    'Totp.Skew': NotRequired[int],
    'DefaultTemplateSid': NotRequired[str],
    'Whatsapp.MsgServiceSid': NotRequired[str],
    'Whatsapp.From': NotRequired[str],
    'Passkeys.RelyingParty.Id': NotRequired[str],
    'Passkeys.RelyingParty.Name': NotRequired[str],
    'Passkeys.RelyingParty.Origins': NotRequired[str],
    'Passkeys.AuthenticatorAttachment': NotRequired[str],
    'Passkeys.DiscoverableCredentials': NotRequired[str],
    'Passkeys.UserVerification': NotRequired[str],
    'VerifyEventSubscriptionEnabled': NotRequired[bool],})


class CreateVerificationBody(TypedDict):
    To: str
    """The phone number or email to verify."""
    Channel: str
    """The verification method to use."""
    CustomFriendlyName: NotRequired[str]
    """A custom user defined friendly name that overwrites the existing one in the verification message"""
    CustomMessage: NotRequired[str]
    """The text of a custom message to use for the verification [DEPRECATED]."""
    SendDigits: NotRequired[str]
    """The digits to send after a phone call is answered, for example, to dial an extension."""
    Locale: NotRequired[str]
    """Locale will automatically resolve based on phone number country code for SMS, WhatsApp, and call…"""
    CustomCode: NotRequired[str]
    """A pre-generated code to use for verification."""
    Amount: NotRequired[str]
    """The amount of the associated PSD2 compliant transaction."""
    Payee: NotRequired[str]
    """The payee of the associated PSD2 compliant transaction."""
    RateLimits: NotRequired[Any]
    """The custom key-value pairs of Programmable Rate Limits."""
    ChannelConfiguration: NotRequired[Any]
    """`email` channel configuration in json format."""
    AppHash: NotRequired[str]
    """Your App Hash to be appended at the end of your verification SMS body."""
    TemplateSid: NotRequired[str]
    """The message template."""
    TemplateCustomSubstitutions: NotRequired[str]
    """A stringified JSON object in which the keys are the template's special variables and the values…"""
    DeviceIp: NotRequired[str]
    """Strongly encouraged if using the auto channel."""
    EnableSnaClientToken: NotRequired[bool]
    """An optional Boolean value to indicate the requirement of sna client token in the SNA URL…"""
    RiskCheck: NotRequired[Literal['enable', 'disable']]
    Tags: NotRequired[str]
    """A string containing a JSON map of key value pairs of tags to be recorded as metadata for the…"""


class VerifyV2ServiceVerification(TypedDict):
    sid: NotRequired[str | None]
    """The unique string that we created to identify the Verification resource."""
    service_sid: NotRequired[str | None]
    """The SID of the Service the resource is associated with."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Verification resource."""
    to: NotRequired[str | None]
    """The phone number or email being verified."""
    channel: NotRequired[Literal['sms', 'call', 'email', 'whatsapp', 'sna']]
    status: NotRequired[str | None]
    """The status of the verification."""
    valid: NotRequired[bool | None]
    """Use "status" instead."""
    lookup: NotRequired[Any]
    """Information about the phone number being verified."""
    amount: NotRequired[str | None]
    """The amount of the associated PSD2 compliant transaction."""
    payee: NotRequired[str | None]
    """The payee of the associated PSD2 compliant transaction."""
    send_code_attempts: NotRequired[list[Any] | None]
    """An array of verification attempt objects containing the channel attempted and the channel-specific…"""
    date_created: NotRequired[str | None]
    """The date and time in GMT when the resource was created specified in RFC 2822 format."""
    date_updated: NotRequired[str | None]
    """The date and time in GMT when the resource was last updated specified in RFC 2822 format."""
    sna: NotRequired[Any]
    """The set of fields used for a silent network auth (`sna`) verification."""
    url: NotRequired[str | None]
    """The absolute URL of the Verification resource."""


class UpdateVerificationBody(TypedDict):
    Status: Literal['canceled', 'approved']


class VerifyV2VerificationAttempt(TypedDict):
    sid: NotRequired[str | None]
    """The SID that uniquely identifies the verification attempt resource."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Verification resource."""
    service_sid: NotRequired[str | None]
    """The SID of the Service used to generate the attempt."""
    verification_sid: NotRequired[str | None]
    """The SID of the Verification that generated the attempt."""
    date_created: NotRequired[str | None]
    """The date that this Attempt was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Attempt was updated, given in ISO 8601 format."""
    conversion_status: NotRequired[Literal['converted', 'unconverted']]
    channel: NotRequired[Literal['sms', 'call', 'email', 'whatsapp', 'rbm']]
    price: NotRequired[Any]
    """An object containing the charge for this verification attempt related to the channel costs and the…"""
    channel_data: NotRequired[Any]
    """An object containing the channel specific information for an attempt."""
    url: NotRequired[str | None]


class ListVerificationAttemptResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListVerificationAttemptResponse(TypedDict):
    attempts: NotRequired[list[VerifyV2VerificationAttempt]]
    meta: NotRequired[ListVerificationAttemptResponseMeta]


class VerifyV2VerificationAttemptsSummary(TypedDict):
    total_attempts: NotRequired[int]
    """Total of attempts made according to the provided filters"""
    total_converted: NotRequired[int]
    """Total of attempts made that were confirmed by the end user, according to the provided filters."""
    total_unconverted: NotRequired[int]
    """Total of attempts made that were not confirmed by the end user, according to the provided filters."""
    conversion_rate_percentage: NotRequired[str | None]
    """Percentage of the confirmed messages over the total, defined by…"""
    url: NotRequired[str | None]


class CreateVerificationCheckBody(TypedDict):
    Code: NotRequired[str]
    """The 4-10 character string being verified."""
    To: NotRequired[str]
    """The phone number or email to verify."""
    VerificationSid: NotRequired[str]
    """A SID that uniquely identifies the Verification Check."""
    Amount: NotRequired[str]
    """The amount of the associated PSD2 compliant transaction."""
    Payee: NotRequired[str]
    """The payee of the associated PSD2 compliant transaction."""
    SnaClientToken: NotRequired[str]
    """A sna client token received in sna url invocation response needs to be passed in Verification…"""


class VerifyV2ServiceVerificationCheck(TypedDict):
    sid: NotRequired[str | None]
    """The unique string that we created to identify the VerificationCheck resource."""
    service_sid: NotRequired[str | None]
    """The SID of the Service the resource is associated with."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the VerificationCheck resource."""
    to: NotRequired[str | None]
    """The phone number or email being verified."""
    channel: NotRequired[Literal['sms', 'call', 'email', 'whatsapp', 'sna']]
    status: NotRequired[str | None]
    """The status of the verification."""
    valid: NotRequired[bool | None]
    """Use "status" instead."""
    amount: NotRequired[str | None]
    """The amount of the associated PSD2 compliant transaction."""
    payee: NotRequired[str | None]
    """The payee of the associated PSD2 compliant transaction."""
    date_created: NotRequired[str | None]
    """The ISO 8601 date and time in GMT when the Verification Check resource was created."""
    date_updated: NotRequired[str | None]
    """The ISO 8601 date and time in GMT when the Verification Check resource was last updated."""
    sna_attempts_error_codes: NotRequired[list[Any] | None]
    """List of error codes as a result of attempting a verification using the `sna` channel."""


class VerifyV2VerificationTemplate(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies a Verification Template."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    friendly_name: NotRequired[str | None]
    """A descriptive string that you create to describe a Template."""
    channels: NotRequired[list[str] | None]
    """A list of channels that support the Template."""
    translations: NotRequired[Any]
    """An object that contains the different translations of the template."""


class ListVerificationTemplateResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListVerificationTemplateResponse(TypedDict):
    templates: NotRequired[list[VerifyV2VerificationTemplate]]
    meta: NotRequired[ListVerificationTemplateResponseMeta]


class CreateWebhookBody(TypedDict):
    FriendlyName: str
    """The string that you assigned to describe the webhook."""
    EventTypes: list[str]
    """The array of events that this Webhook is subscribed to."""
    WebhookUrl: str
    """The URL associated with this Webhook."""
    Status: NotRequired[Literal['enabled', 'disabled']]
    Version: NotRequired[Literal['v1', 'v2']]


class VerifyV2ServiceWebhook(TypedDict):
    sid: NotRequired[str | None]
    """The unique string that we created to identify the Webhook resource."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    account_sid: NotRequired[str | None]
    """The SID of the Account that created the Service resource."""
    friendly_name: NotRequired[str | None]
    """The string that you assigned to describe the webhook."""
    event_types: NotRequired[list[str] | None]
    """The array of events that this Webhook is subscribed to."""
    status: NotRequired[Literal['enabled', 'disabled']]
    version: NotRequired[Literal['v1', 'v2']]
    webhook_url: NotRequired[str | None]
    """The URL associated with this Webhook."""
    webhook_method: NotRequired[Literal['GET', 'POST']]
    date_created: NotRequired[str | None]
    """The date and time in GMT when the resource was created specified in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date and time in GMT when the resource was last updated specified in ISO 8601 format."""
    url: NotRequired[str | None]
    """The absolute URL of the Webhook resource."""


class ListWebhookResponseMeta(TypedDict):
    first_page_url: NotRequired[str]
    key: NotRequired[str]
    next_page_url: NotRequired[str | None]
    page: NotRequired[int]
    page_size: NotRequired[int]
    previous_page_url: NotRequired[str | None]
    url: NotRequired[str]


class ListWebhookResponse(TypedDict):
    webhooks: NotRequired[list[VerifyV2ServiceWebhook]]
    meta: NotRequired[ListWebhookResponseMeta]


class UpdateWebhookBody(TypedDict):
    FriendlyName: NotRequired[str]
    """The string that you assigned to describe the webhook."""
    EventTypes: NotRequired[list[str]]
    """The array of events that this Webhook is subscribed to."""
    WebhookUrl: NotRequired[str]
    """The URL associated with this Webhook."""
    Status: NotRequired[Literal['enabled', 'disabled']]
    Version: NotRequired[Literal['v1', 'v2']]


class UpdatePasskeysFactorBodyResponse(TypedDict):
    """The result of a WebAuthn credential registration via `navigator.credentials.create()`, as…"""
    attestationObject: NotRequired[str]
    """The authenticator data and an attestation statement for a new key pair generated by the…"""
    clientDataJSON: NotRequired[str]
    """This property contains the JSON-compatible serialization of the data passed from the browser to…"""
    transports: NotRequired[list[Literal['usb', 'nfc', 'ble', 'smart-card', 'internal', 'hybrid']]]
    """An array of strings providing hints as to the methods the client could use to communicate with the…"""


class UpdatePasskeysFactorBody(TypedDict):
    id: NotRequired[str]
    """A base64url encoded representation of `rawId`."""
    rawId: NotRequired[str]
    """The globally unique identifier for this `PublicKeyCredential`."""
    authenticatorAttachment: NotRequired[Literal['platform', 'cross-platform']]
    """A string that indicates the mechanism by which the WebAuthn implementation is attached to the…"""
    type: NotRequired[Literal['public-key']]
    """The valid credential types supported by the API."""
    response: UpdatePasskeysFactorBodyResponse
    """The result of a WebAuthn credential registration via `navigator.credentials.create()`, as…"""


class UpdatePasskeysFactorResponse(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Factor."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Factor."""
    date_created: NotRequired[str | None]
    """The date that this Factor was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Factor was updated, given in ISO 8601 format."""
    friendly_name: NotRequired[str | None]
    """A human readable description of this resource, up to 64 characters."""
    status: NotRequired[Literal['unverified', 'verified']]
    """The Status of this Factor."""
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    """The Type of this Factor."""
    config: NotRequired[Any]
    """An object that contains configurations specific to a `factor_type`."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the factor."""
    url: NotRequired[str | None]
    """The URL of this resource."""


class CreateNewFactorPasskeyBodyConfigRelyingParty(TypedDict):
    """Contains the information of the party requesting the user for authentication"""
    id: NotRequired[str]
    name: NotRequired[str]
    origins: NotRequired[list[str]]


class CreateNewFactorPasskeyBodyConfig(TypedDict):
    relying_party: NotRequired[CreateNewFactorPasskeyBodyConfigRelyingParty]
    """Contains the information of the party requesting the user for authentication"""
    authenticator_attachment: NotRequired[Literal['platform', 'cross-platform', 'any']]
    discoverable_credentials: NotRequired[Literal['required', 'preferred', 'discouraged']]
    user_verification: NotRequired[Literal['required', 'preferred', 'discouraged']]


class CreateNewFactorPasskeyBody(TypedDict):
    friendly_name: str
    identity: str
    config: NotRequired[CreateNewFactorPasskeyBodyConfig]


class CreateNewFactorPasskeyResponse(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Factor."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Factor."""
    binding: NotRequired[Any]
    """Contains the `factor_type` specific secret and metadata."""
    options: NotRequired[Any]
    date_created: NotRequired[str | None]
    """The date that this Factor was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Factor was updated, given in ISO 8601 format."""
    friendly_name: NotRequired[str | None]
    """The friendly name of this Factor."""
    status: NotRequired[Literal['unverified', 'verified']]
    """The Status of this Factor."""
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    """The Type of this Factor."""
    config: NotRequired[Any]
    """An object that contains configurations specific to a `factor_type`."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the factor."""
    url: NotRequired[str | None]
    """The URL of this resource."""


class CreateChallengePasskeysBody(TypedDict):
    identity: NotRequired[str]
    factor_sid: NotRequired[str]


class CreateChallengePasskeysResponse(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Challenge."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Challenge."""
    factor_sid: NotRequired[str | None]
    """The unique SID identifier of the Factor."""
    date_created: NotRequired[str | None]
    """The date that this Challenge was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Challenge was updated, given in ISO 8601 format."""
    date_responded: NotRequired[str | None]
    """The date that this Challenge was responded, given in ISO 8601 format."""
    expiration_date: NotRequired[str | None]
    """The date-time when this Challenge expires, given in ISO 8601 format."""
    status: NotRequired[Literal['pending', 'expired', 'approved', 'denied']]
    """The Status of this Challenge."""
    responded_reason: NotRequired[Literal['none', 'not_needed', 'not_requested']]
    """Reason for the Challenge to be in certain `status`."""
    details: NotRequired[Any]
    """Details provided to give context about the Challenge."""
    hidden_details: NotRequired[Any]
    """Details provided to give context about the Challenge."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the challenge."""
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    """The Factor Type of this Challenge."""
    url: NotRequired[str | None]
    """The URL of this resource."""
    links: NotRequired[dict[str, Any] | None]
    """Contains a dictionary of URL links to nested resources of this Challenge."""
    options: NotRequired[dict[str, Any]]
    """An object that contains challenge options."""


class UpdateChallengePasskeysBodyResponse(TypedDict):
    """The result of a WebAuthn authentication via a `navigator.credentials.get()` request, as specified…"""
    authenticatorData: str
    """The authenticator data structure contains information from the authenticator about the processing…"""
    clientDataJSON: str
    """This property contains the JSON-compatible serialization of the data passed from the browser to…"""
    signature: str
    """An assertion signature over `authenticatorData` and `clientDataJSON`."""
    userHandle: NotRequired[str]
    """The user handle stored in the authenticator, specified as `user.id` in the options passed to the…"""


class UpdateChallengePasskeysBody(TypedDict):
    id: str
    """A base64url encoded representation of `rawId`."""
    rawId: str
    """The globally unique identifier for this `PublicKeyCredential`."""
    authenticatorAttachment: Literal['platform', 'cross-platform']
    """A string that indicates the mechanism by which the WebAuthn implementation is attached to the…"""
    type: NotRequired[Literal['public-key']]
    """The valid credential types supported by the API."""
    response: UpdateChallengePasskeysBodyResponse
    """The result of a WebAuthn authentication via a `navigator.credentials.get()` request, as specified…"""


class UpdateChallengePasskeysResponse(TypedDict):
    sid: NotRequired[str | None]
    """A 34 character string that uniquely identifies this Challenge."""
    account_sid: NotRequired[str | None]
    """The unique SID identifier of the Account."""
    service_sid: NotRequired[str | None]
    """The unique SID identifier of the Service."""
    entity_sid: NotRequired[str | None]
    """The unique SID identifier of the Entity."""
    identity: NotRequired[str | None]
    """Customer unique identity for the Entity owner of the Challenge."""
    factor_sid: NotRequired[str | None]
    """The unique SID identifier of the Factor."""
    date_created: NotRequired[str | None]
    """The date that this Challenge was created, given in ISO 8601 format."""
    date_updated: NotRequired[str | None]
    """The date that this Challenge was updated, given in ISO 8601 format."""
    date_responded: NotRequired[str | None]
    """The date that this Challenge was responded, given in ISO 8601 format."""
    expiration_date: NotRequired[str | None]
    """The date-time when this Challenge expires, given in ISO 8601 format."""
    status: NotRequired[Literal['pending', 'expired', 'approved', 'denied']]
    """The Status of this Challenge."""
    responded_reason: NotRequired[Literal['none', 'not_needed', 'not_requested']]
    """Reason for the Challenge to be in certain `status`."""
    details: NotRequired[Any]
    """Details provided to give context about the Challenge."""
    hidden_details: NotRequired[Any]
    """Details provided to give context about the Challenge."""
    metadata: NotRequired[Any]
    """Custom metadata associated with the challenge."""
    factor_type: NotRequired[Literal['push', 'totp', 'passkeys']]
    """The Factor Type of this Challenge."""
    url: NotRequired[str | None]
    """The URL of this resource."""
    links: NotRequired[dict[str, Any] | None]
    """Contains a dictionary of URL links to nested resources of this Challenge."""
    options: NotRequired[dict[str, Any]]
    """An object that contains challenge options."""
