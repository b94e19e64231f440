# fmt: off
"""The types of the API; made by mcpgen with datamodel-code-generator."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ExternalUrlObject(TypedDict):
    spotify: NotRequired[str]
    """The Spotify URL for the object."""


class ImageObject(TypedDict):
    url: str
    """The source URL of the image."""
    height: int | None
    """The image height in pixels."""
    width: int | None
    """The image width in pixels."""


class AlbumRestrictionObject(TypedDict):
    reason: NotRequired[Literal['market', 'product', 'explicit']]
    """The reason for the restriction."""


class SimplifiedArtistObject(TypedDict):
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this artist."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the artist."""
    id: NotRequired[str]
    """The Spotify ID for the artist."""
    name: NotRequired[str]
    """The name of the artist."""
    type: NotRequired[Literal['artist']]
    """The object type."""
    uri: NotRequired[str]
    """The Spotify URI for the artist."""


class LinkedTrackObject(TypedDict):
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this track."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the track."""
    id: NotRequired[str]
    """The Spotify ID for the track."""
    type: NotRequired[str]
    """The object type: "track"."""
    uri: NotRequired[str]
    """The Spotify URI for the track."""


class TrackRestrictionObject(TypedDict):
    reason: NotRequired[str]
    """The reason for the restriction."""


class SimplifiedTrackObject(TypedDict):
    artists: NotRequired[list[SimplifiedArtistObject]]
    """The artists who performed the track."""
    available_markets: NotRequired[list[str]]
    """A list of the countries in which the track can be played, identified by their ISO 3166-1 alpha-2…"""
    disc_number: NotRequired[int]
    """The disc number (usually `1` unless the album consists of more than one disc)."""
    duration_ms: NotRequired[int]
    """The track length in milliseconds."""
    explicit: NotRequired[bool]
    """Whether or not the track has explicit lyrics ( `true` = yes it does; `false` = no it does not OR…"""
    external_urls: NotRequired[ExternalUrlObject]
    """External URLs for this track."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the track."""
    id: NotRequired[str]
    """The Spotify ID for the track."""
    is_playable: NotRequired[bool]
    """Part of the response when Track Relinking is applied."""
    linked_from: NotRequired[LinkedTrackObject]
    """Part of the response when Track Relinking is applied and is only part of the response if the track…"""
    restrictions: NotRequired[TrackRestrictionObject]
    """Included in the response when a content restriction is applied."""
    name: NotRequired[str]
    """The name of the track."""
    preview_url: NotRequired[str | None]
    """A URL to a 30 second preview (MP3 format) of the track."""
    track_number: NotRequired[int]
    """The number of the track."""
    type: NotRequired[str]
    """The object type: "track"."""
    uri: NotRequired[str]
    """The Spotify URI for the track."""
    is_local: NotRequired[bool]
    """Whether or not the track is from a local file."""


class PagingSimplifiedTrackObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SimplifiedTrackObject]


class CopyrightObject(TypedDict):
    text: NotRequired[str]
    """The copyright text for this content."""
    type: NotRequired[str]
    """The type of copyright: `C` = the copyright, `P` = the sound recording (performance) copyright."""


class ExternalIdObject(TypedDict):
    isrc: NotRequired[str]
    """International Standard Recording Code"""
    ean: NotRequired[str]
    """International Article Number"""
    upc: NotRequired[str]
    """Universal Product Code"""


class AlbumObject(TypedDict):
    album_type: Literal['album', 'single', 'compilation']
    """The type of the album."""
    total_tracks: int
    """The number of tracks in the album."""
    available_markets: list[str]
    """The markets in which the album is available: ISO 3166-1 alpha-2 country codes."""
    external_urls: ExternalUrlObject
    """Known external URLs for this album."""
    href: str
    """A link to the Web API endpoint providing full details of the album."""
    id: str
    """The Spotify ID for the album."""
    images: list[ImageObject]
    """The cover art for the album in various sizes, widest first."""
    name: str
    """The name of the album."""
    release_date: str
    """The date the album was first released."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    restrictions: NotRequired[AlbumRestrictionObject]
    """Included in the response when a content restriction is applied."""
    type: Literal['album']
    """The object type."""
    uri: str
    """The Spotify URI for the album."""
    artists: list[SimplifiedArtistObject]
    """The artists of the album."""
    tracks: PagingSimplifiedTrackObject
    """The tracks of the album."""
    copyrights: list[CopyrightObject]
    """The copyright statements of the album."""
    external_ids: ExternalIdObject
    """Known external IDs for the album."""
    genres: list[str]
    """**Deprecated** The array is always empty."""
    label: str
    """The label associated with the album."""
    popularity: int
    """The popularity of the album."""


class GetMultipleAlbumsResponse(TypedDict):
    albums: list[AlbumObject]


class FollowersObject(TypedDict):
    href: NotRequired[str | None]
    """This will always be set to null, as the Web API does not support it at the moment."""
    total: NotRequired[int]
    """The total number of followers."""


class ArtistObject(TypedDict):
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this artist."""
    followers: NotRequired[FollowersObject]
    """Information about the followers of the artist."""
    genres: NotRequired[list[str]]
    """A list of the genres the artist is associated with."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the artist."""
    id: NotRequired[str]
    """The Spotify ID for the artist."""
    images: NotRequired[list[ImageObject]]
    """Images of the artist in various sizes, widest first."""
    name: NotRequired[str]
    """The name of the artist."""
    popularity: NotRequired[int]
    """The popularity of the artist."""
    type: NotRequired[Literal['artist']]
    """The object type."""
    uri: NotRequired[str]
    """The Spotify URI for the artist."""


class GetMultipleArtistsResponse(TypedDict):
    artists: list[ArtistObject]


class ArtistDiscographyAlbumObject(TypedDict):
    album_type: Literal['album', 'single', 'compilation']
    """The type of the album."""
    total_tracks: int
    """The number of tracks in the album."""
    available_markets: list[str]
    """The markets in which the album is available: ISO 3166-1 alpha-2 country codes."""
    external_urls: ExternalUrlObject
    """Known external URLs for this album."""
    href: str
    """A link to the Web API endpoint providing full details of the album."""
    id: str
    """The Spotify ID for the album."""
    images: list[ImageObject]
    """The cover art for the album in various sizes, widest first."""
    name: str
    """The name of the album."""
    release_date: str
    """The date the album was first released."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    restrictions: NotRequired[AlbumRestrictionObject]
    """Included in the response when a content restriction is applied."""
    type: Literal['album']
    """The object type."""
    uri: str
    """The Spotify URI for the album."""
    artists: list[SimplifiedArtistObject]
    """The artists of the album."""
    album_group: Literal['album', 'single', 'compilation', 'appears_on']
    """This field describes the relationship between the artist and the album."""


class PagingArtistDiscographyAlbumObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[ArtistDiscographyAlbumObject]


class SimplifiedAlbumObject(TypedDict):
    album_type: Literal['album', 'single', 'compilation']
    """The type of the album."""
    total_tracks: int
    """The number of tracks in the album."""
    available_markets: list[str]
    """The markets in which the album is available: ISO 3166-1 alpha-2 country codes."""
    external_urls: ExternalUrlObject
    """Known external URLs for this album."""
    href: str
    """A link to the Web API endpoint providing full details of the album."""
    id: str
    """The Spotify ID for the album."""
    images: list[ImageObject]
    """The cover art for the album in various sizes, widest first."""
    name: str
    """The name of the album."""
    release_date: str
    """The date the album was first released."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    restrictions: NotRequired[AlbumRestrictionObject]
    """Included in the response when a content restriction is applied."""
    type: Literal['album']
    """The object type."""
    uri: str
    """The Spotify URI for the album."""
    artists: list[SimplifiedArtistObject]
    """The artists of the album."""


class TrackObject(TypedDict):
    album: NotRequired[SimplifiedAlbumObject]
    """The album on which the track appears."""
    artists: NotRequired[list[SimplifiedArtistObject]]
    """The artists who performed the track."""
    available_markets: NotRequired[list[str]]
    """A list of the countries in which the track can be played, identified by their ISO 3166-1 alpha-2…"""
    disc_number: NotRequired[int]
    """The disc number (usually `1` unless the album consists of more than one disc)."""
    duration_ms: NotRequired[int]
    """The track length in milliseconds."""
    explicit: NotRequired[bool]
    """Whether or not the track has explicit lyrics ( `true` = yes it does; `false` = no it does not OR…"""
    external_ids: NotRequired[ExternalIdObject]
    """Known external IDs for the track."""
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this track."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the track."""
    id: NotRequired[str]
    """The Spotify ID for the track."""
    is_playable: NotRequired[bool]
    """Part of the response when Track Relinking is applied."""
    linked_from: NotRequired[LinkedTrackObject]
    """Part of the response when Track Relinking is applied, and the requested track has been replaced…"""
    restrictions: NotRequired[TrackRestrictionObject]
    """Included in the response when a content restriction is applied."""
    name: NotRequired[str]
    """The name of the track."""
    popularity: NotRequired[int]
    """The popularity of the track."""
    preview_url: NotRequired[str | None]
    """A link to a 30 second preview (MP3 format) of the track."""
    track_number: NotRequired[int]
    """The number of the track."""
    type: NotRequired[Literal['track']]
    """The object type: "track"."""
    uri: NotRequired[str]
    """The Spotify URI for the track."""
    is_local: NotRequired[bool]
    """Whether or not the track is from a local file."""


class GetAnArtistsTopTracksResponse(TypedDict):
    tracks: list[TrackObject]


class GetAnArtistsRelatedArtistsResponse(TypedDict):
    artists: list[ArtistObject]


class ResumePointObject(TypedDict):
    fully_played: NotRequired[bool]
    """Whether or not the episode has been fully played by the user."""
    resume_position_ms: NotRequired[int]
    """The user's most recent position in the episode in milliseconds."""


class EpisodeRestrictionObject(TypedDict):
    reason: NotRequired[str]
    """The reason for the restriction."""


class EpisodeBase(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the episode."""
    description: str
    """A description of the episode."""
    html_description: str
    """A description of the episode."""
    duration_ms: int
    """The episode length in milliseconds."""
    explicit: bool
    """Whether or not the episode has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this episode."""
    href: str
    """A link to the Web API endpoint providing full details of the episode."""
    id: str
    """The Spotify ID for the episode."""
    images: list[ImageObject]
    """The cover art for the episode in various sizes, widest first."""
    is_externally_hosted: bool
    """True if the episode is hosted outside of Spotify's CDN."""
    is_playable: bool
    """True if the episode is playable in the given market."""
    language: NotRequired[str]
    """The language used in the episode, identified by a ISO 639 code."""
    languages: list[str]
    """A list of the languages used in the episode, identified by their ISO 639-1 code."""
    name: str
    """The name of the episode."""
    release_date: str
    """The date the episode was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the episode."""
    type: Literal['episode']
    """The object type."""
    uri: str
    """The Spotify URI for the episode."""
    restrictions: NotRequired[EpisodeRestrictionObject]
    """Included in the response when a content restriction is applied."""


class PagingSimplifiedEpisodeObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[EpisodeBase]


class ShowObject(TypedDict):
    available_markets: list[str]
    """A list of the countries in which the show can be played, identified by their ISO 3166-1 alpha-2…"""
    copyrights: list[CopyrightObject]
    """The copyright statements of the show."""
    description: str
    """A description of the show."""
    html_description: str
    """A description of the show."""
    explicit: bool
    """Whether or not the show has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this show."""
    href: str
    """A link to the Web API endpoint providing full details of the show."""
    id: str
    """The Spotify ID for the show."""
    images: list[ImageObject]
    """The cover art for the show in various sizes, widest first."""
    is_externally_hosted: bool
    """True if all of the shows episodes are hosted outside of Spotify's CDN."""
    languages: list[str]
    """A list of the languages used in the show, identified by their ISO 639 code."""
    media_type: str
    """The media type of the show."""
    name: str
    """The name of the episode."""
    publisher: str
    """The publisher of the show."""
    type: Literal['show']
    """The object type."""
    uri: str
    """The Spotify URI for the show."""
    total_episodes: int
    """The total number of episodes in the show."""
    episodes: PagingSimplifiedEpisodeObject
    """The episodes of the show."""


class ShowBase(TypedDict):
    available_markets: list[str]
    """A list of the countries in which the show can be played, identified by their ISO 3166-1 alpha-2…"""
    copyrights: list[CopyrightObject]
    """The copyright statements of the show."""
    description: str
    """A description of the show."""
    html_description: str
    """A description of the show."""
    explicit: bool
    """Whether or not the show has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this show."""
    href: str
    """A link to the Web API endpoint providing full details of the show."""
    id: str
    """The Spotify ID for the show."""
    images: list[ImageObject]
    """The cover art for the show in various sizes, widest first."""
    is_externally_hosted: bool
    """True if all of the shows episodes are hosted outside of Spotify's CDN."""
    languages: list[str]
    """A list of the languages used in the show, identified by their ISO 639 code."""
    media_type: str
    """The media type of the show."""
    name: str
    """The name of the episode."""
    publisher: str
    """The publisher of the show."""
    type: Literal['show']
    """The object type."""
    uri: str
    """The Spotify URI for the show."""
    total_episodes: int
    """The total number of episodes in the show."""


class GetMultipleShowsResponse(TypedDict):
    shows: list[ShowBase]


class EpisodeObject(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the episode."""
    description: str
    """A description of the episode."""
    html_description: str
    """A description of the episode."""
    duration_ms: int
    """The episode length in milliseconds."""
    explicit: bool
    """Whether or not the episode has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this episode."""
    href: str
    """A link to the Web API endpoint providing full details of the episode."""
    id: str
    """The Spotify ID for the episode."""
    images: list[ImageObject]
    """The cover art for the episode in various sizes, widest first."""
    is_externally_hosted: bool
    """True if the episode is hosted outside of Spotify's CDN."""
    is_playable: bool
    """True if the episode is playable in the given market."""
    language: NotRequired[str]
    """The language used in the episode, identified by a ISO 639 code."""
    languages: list[str]
    """A list of the languages used in the episode, identified by their ISO 639-1 code."""
    name: str
    """The name of the episode."""
    release_date: str
    """The date the episode was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the episode."""
    type: Literal['episode']
    """The object type."""
    uri: str
    """The Spotify URI for the episode."""
    restrictions: NotRequired[EpisodeRestrictionObject]
    """Included in the response when a content restriction is applied."""
    show: ShowBase
    """The show on which the episode belongs."""


class GetMultipleEpisodesResponse(TypedDict):
    episodes: list[EpisodeObject]


class AuthorObject(TypedDict):
    name: NotRequired[str]
    """The name of the author."""


class NarratorObject(TypedDict):
    name: NotRequired[str]
    """The name of the Narrator."""


class ChapterRestrictionObject(TypedDict):
    reason: NotRequired[str]
    """The reason for the restriction."""


class ChapterBase(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the chapter."""
    available_markets: NotRequired[list[str]]
    """A list of the countries in which the chapter can be played, identified by their ISO 3166-1 alpha-2…"""
    chapter_number: int
    """The number of the chapter"""
    description: str
    """A description of the chapter."""
    html_description: str
    """A description of the chapter."""
    duration_ms: int
    """The chapter length in milliseconds."""
    explicit: bool
    """Whether or not the chapter has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this chapter."""
    href: str
    """A link to the Web API endpoint providing full details of the chapter."""
    id: str
    """The Spotify ID for the chapter."""
    images: list[ImageObject]
    """The cover art for the chapter in various sizes, widest first."""
    is_playable: bool
    """True if the chapter is playable in the given market."""
    languages: list[str]
    """A list of the languages used in the chapter, identified by their ISO 639-1 code."""
    name: str
    """The name of the chapter."""
    release_date: str
    """The date the chapter was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the chapter."""
    type: Literal['episode']
    """The object type."""
    uri: str
    """The Spotify URI for the chapter."""
    restrictions: NotRequired[ChapterRestrictionObject]
    """Included in the response when a content restriction is applied."""


class PagingSimplifiedChapterObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[ChapterBase]


class AudiobookObject(TypedDict):
    authors: list[AuthorObject]
    """The author(s) for the audiobook."""
    available_markets: list[str]
    """A list of the countries in which the audiobook can be played, identified by their ISO 3166-1…"""
    copyrights: list[CopyrightObject]
    """The copyright statements of the audiobook."""
    description: str
    """A description of the audiobook."""
    html_description: str
    """A description of the audiobook."""
    edition: NotRequired[str]
    """The edition of the audiobook."""
    explicit: bool
    """Whether or not the audiobook has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this audiobook."""
    href: str
    """A link to the Web API endpoint providing full details of the audiobook."""
    id: str
    """The Spotify ID for the audiobook."""
    images: list[ImageObject]
    """The cover art for the audiobook in various sizes, widest first."""
    languages: list[str]
    """A list of the languages used in the audiobook, identified by their ISO 639 code."""
    media_type: str
    """The media type of the audiobook."""
    name: str
    """The name of the audiobook."""
    narrators: list[NarratorObject]
    """The narrator(s) for the audiobook."""
    publisher: str
    """The publisher of the audiobook."""
    type: Literal['audiobook']
    """The object type."""
    uri: str
    """The Spotify URI for the audiobook."""
    total_chapters: int
    """The number of chapters in this audiobook."""
    chapters: PagingSimplifiedChapterObject
    """The chapters of the audiobook."""


class GetMultipleAudiobooksResponse(TypedDict):
    audiobooks: list[AudiobookObject]


class SavedAudiobookObject(TypedDict):
    added_at: NotRequired[str]
    """The date and time the audiobook was saved"""
    audiobook: NotRequired[AudiobookObject]
    """Information about the audiobook."""


class PagingSavedAudiobookObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SavedAudiobookObject]


class AudiobookBase(TypedDict):
    authors: list[AuthorObject]
    """The author(s) for the audiobook."""
    available_markets: list[str]
    """A list of the countries in which the audiobook can be played, identified by their ISO 3166-1…"""
    copyrights: list[CopyrightObject]
    """The copyright statements of the audiobook."""
    description: str
    """A description of the audiobook."""
    html_description: str
    """A description of the audiobook."""
    edition: NotRequired[str]
    """The edition of the audiobook."""
    explicit: bool
    """Whether or not the audiobook has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this audiobook."""
    href: str
    """A link to the Web API endpoint providing full details of the audiobook."""
    id: str
    """The Spotify ID for the audiobook."""
    images: list[ImageObject]
    """The cover art for the audiobook in various sizes, widest first."""
    languages: list[str]
    """A list of the languages used in the audiobook, identified by their ISO 639 code."""
    media_type: str
    """The media type of the audiobook."""
    name: str
    """The name of the audiobook."""
    narrators: list[NarratorObject]
    """The narrator(s) for the audiobook."""
    publisher: str
    """The publisher of the audiobook."""
    type: Literal['audiobook']
    """The object type."""
    uri: str
    """The Spotify URI for the audiobook."""
    total_chapters: int
    """The number of chapters in this audiobook."""


class ChapterObject(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the chapter."""
    available_markets: NotRequired[list[str]]
    """A list of the countries in which the chapter can be played, identified by their ISO 3166-1 alpha-2…"""
    chapter_number: int
    """The number of the chapter"""
    description: str
    """A description of the chapter."""
    html_description: str
    """A description of the chapter."""
    duration_ms: int
    """The chapter length in milliseconds."""
    explicit: bool
    """Whether or not the chapter has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this chapter."""
    href: str
    """A link to the Web API endpoint providing full details of the chapter."""
    id: str
    """The Spotify ID for the chapter."""
    images: list[ImageObject]
    """The cover art for the chapter in various sizes, widest first."""
    is_playable: bool
    """True if the chapter is playable in the given market."""
    languages: list[str]
    """A list of the languages used in the chapter, identified by their ISO 639-1 code."""
    name: str
    """The name of the chapter."""
    release_date: str
    """The date the chapter was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the chapter."""
    type: Literal['episode']
    """The object type."""
    uri: str
    """The Spotify URI for the chapter."""
    restrictions: NotRequired[ChapterRestrictionObject]
    """Included in the response when a content restriction is applied."""
    audiobook: AudiobookBase
    """The audiobook for which the chapter belongs."""


class GetSeveralChaptersResponse(TypedDict):
    chapters: list[ChapterObject]


class GetSeveralTracksResponse(TypedDict):
    tracks: list[TrackObject]


class PagingTrackObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[TrackObject]


class PagingArtistObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[ArtistObject]


class PagingSimplifiedAlbumObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SimplifiedAlbumObject]


class PlaylistOwnerObject(TypedDict):
    external_urls: NotRequired[ExternalUrlObject]
    """Known public external URLs for this user."""
    href: NotRequired[str]
    """A link to the Web API endpoint for this user."""
    id: NotRequired[str]
    """The Spotify user ID for this user."""
    type: NotRequired[Literal['user']]
    """The object type."""
    uri: NotRequired[str]
    """The Spotify URI for this user."""
    display_name: NotRequired[str | None]
    """The name displayed on the user's profile."""


class PlaylistTracksRefObject(TypedDict):
    href: NotRequired[str]
    """A link to the Web API endpoint where full details of the playlist's tracks can be retrieved."""
    total: NotRequired[int]
    """Number of tracks in the playlist."""


class SimplifiedPlaylistObject(TypedDict):
    collaborative: NotRequired[bool]
    """`true` if the owner allows other users to modify the playlist."""
    description: NotRequired[str]
    """The playlist description."""
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this playlist."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the playlist."""
    id: NotRequired[str]
    """The Spotify ID for the playlist."""
    images: NotRequired[list[ImageObject]]
    """Images for the playlist."""
    name: NotRequired[str]
    """The name of the playlist."""
    owner: NotRequired[PlaylistOwnerObject]
    """The user who owns the playlist"""
    public: NotRequired[bool]
    """The playlist's public/private status (if it is added to the user's profile): `true` the playlist…"""
    snapshot_id: NotRequired[str]
    """The version identifier for the current playlist."""
    items: NotRequired[PlaylistTracksRefObject]
    """A collection containing a link ( `href` ) to the Web API endpoint where full details of the…"""
    tracks: NotRequired[PlaylistTracksRefObject]
    """**Deprecated:** Use `items` instead."""
    type: NotRequired[str]
    """The object type: "playlist\""""
    uri: NotRequired[str]
    """The Spotify URI for the playlist."""


class PagingPlaylistObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SimplifiedPlaylistObject]


class PagingSimplifiedShowObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[ShowBase]


class PagingSimplifiedAudiobookObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[AudiobookBase]


class SearchResponse(TypedDict):
    tracks: NotRequired[PagingTrackObject]
    artists: NotRequired[PagingArtistObject]
    albums: NotRequired[PagingSimplifiedAlbumObject]
    playlists: NotRequired[PagingPlaylistObject]
    shows: NotRequired[PagingSimplifiedShowObject]
    episodes: NotRequired[PagingSimplifiedEpisodeObject]
    audiobooks: NotRequired[PagingSimplifiedAudiobookObject]


class ExplicitContentSettingsObject(TypedDict):
    filter_enabled: NotRequired[bool]
    """When `true`, indicates that explicit content should not be played."""
    filter_locked: NotRequired[bool]
    """When `true`, indicates that the explicit content setting is locked and can't be changed by the user."""


class PrivateUserObject(TypedDict):
    account_id: NotRequired[str]
    """A public, immutable, pseudoanonymous identifier for the user's account."""
    country: NotRequired[str]
    """The country of the user, as set in the user's account profile."""
    display_name: NotRequired[str]
    """The name displayed on the user's profile."""
    email: NotRequired[str]
    """The user's email address, as entered by the user when creating their account."""
    explicit_content: NotRequired[ExplicitContentSettingsObject]
    """The user's explicit content settings."""
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this user."""
    followers: NotRequired[FollowersObject]
    """Information about the followers of the user."""
    href: NotRequired[str]
    """A link to the Web API endpoint for this user."""
    id: NotRequired[str]
    """The Spotify user ID for the user."""
    images: NotRequired[list[ImageObject]]
    """The user's profile image."""
    product: NotRequired[str]
    """The user's Spotify subscription level: "premium", "free", etc."""
    type: NotRequired[str]
    """The object type: "user\""""
    uri: NotRequired[str]
    """The Spotify URI for the user."""


class PlaylistUserObject(TypedDict):
    external_urls: NotRequired[ExternalUrlObject]
    """Known public external URLs for this user."""
    href: NotRequired[str]
    """A link to the Web API endpoint for this user."""
    id: NotRequired[str]
    """The Spotify user ID for this user."""
    type: NotRequired[Literal['user']]
    """The object type."""
    uri: NotRequired[str]
    """The Spotify URI for this user."""


class PlaylistTrackObjectItemOption2(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the episode."""
    description: str
    """A description of the episode."""
    html_description: str
    """A description of the episode."""
    duration_ms: int
    """The episode length in milliseconds."""
    explicit: bool
    """Whether or not the episode has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this episode."""
    href: str
    """A link to the Web API endpoint providing full details of the episode."""
    id: str
    """The Spotify ID for the episode."""
    images: list[ImageObject]
    """The cover art for the episode in various sizes, widest first."""
    is_externally_hosted: bool
    """True if the episode is hosted outside of Spotify's CDN."""
    is_playable: bool
    """True if the episode is playable in the given market."""
    language: NotRequired[str]
    """The language used in the episode, identified by a ISO 639 code."""
    languages: list[str]
    """A list of the languages used in the episode, identified by their ISO 639-1 code."""
    name: str
    """The name of the episode."""
    release_date: str
    """The date the episode was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the episode."""
    type: Literal['EpisodeObject']
    """The object type."""
    uri: str
    """The Spotify URI for the episode."""
    restrictions: NotRequired[EpisodeRestrictionObject]
    """Included in the response when a content restriction is applied."""
    show: ShowBase
    """The show on which the episode belongs."""


class PlaylistTrackObject(TypedDict):
    added_at: NotRequired[str]
    """The date and time the track or episode was added."""
    added_by: NotRequired[PlaylistUserObject]
    """The Spotify user who added the track or episode."""
    is_local: NotRequired[bool]
    """Whether this track or episode is a local file or not."""
    item: NotRequired[TrackObject | PlaylistTrackObjectItemOption2]
    """Information about the track or episode."""
    track: NotRequired[TrackObject | PlaylistTrackObjectItemOption2]
    """**Deprecated:** Use `item` instead."""


class PagingPlaylistTrackObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[PlaylistTrackObject]


class PlaylistObject(TypedDict):
    collaborative: NotRequired[bool]
    """`true` if the owner allows other users to modify the playlist."""
    description: NotRequired[str | None]
    """The playlist description."""
    external_urls: NotRequired[ExternalUrlObject]
    """Known external URLs for this playlist."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the playlist."""
    id: NotRequired[str]
    """The Spotify ID for the playlist."""
    images: NotRequired[list[ImageObject]]
    """Images for the playlist."""
    name: NotRequired[str]
    """The name of the playlist."""
    owner: NotRequired[PlaylistOwnerObject]
    """The user who owns the playlist"""
    public: NotRequired[bool]
    """The playlist's public/private status (if it is added to the user's profile): `true` the playlist…"""
    snapshot_id: NotRequired[str]
    """The version identifier for the current playlist."""
    items: NotRequired[PagingPlaylistTrackObject]
    """The items of the playlist."""
    tracks: NotRequired[PagingPlaylistTrackObject]
    """**Deprecated:** Use `items` instead."""
    type: NotRequired[str]
    """The object type: "playlist\""""
    uri: NotRequired[str]
    """The Spotify URI for the playlist."""
    followers: NotRequired[FollowersObject]
    """Information about the followers of the playlist."""


class ChangePlaylistDetailsBody(TypedDict):
    name: NotRequired[str]
    """The new name for the playlist, for example `"My New Playlist Title"`"""
    public: NotRequired[bool]
    """The playlist's public/private status (if it should be added to the user's profile or not): `true`…"""
    collaborative: NotRequired[bool]
    """If `true`, the playlist will become collaborative and other users will be able to modify the…"""
    description: NotRequired[str]
    """Value for playlist description as displayed in Spotify Clients and in the Web API."""


class AddTracksToPlaylistBody(TypedDict):
    uris: NotRequired[list[str]]
    """A JSON array of the Spotify URIs to add."""
    position: NotRequired[int]
    """The position to insert the items, a zero-based index."""


class AddTracksToPlaylistResponse(TypedDict):
    snapshot_id: NotRequired[str]


class ReorderOrReplacePlaylistsTracksBody(TypedDict):
    uris: NotRequired[list[str]]
    range_start: NotRequired[int]
    """The position of the first item to be reordered."""
    insert_before: NotRequired[int]
    """The position where the items should be inserted."""
    range_length: NotRequired[int]
    """The amount of items to be reordered."""
    snapshot_id: NotRequired[str]
    """The playlist's snapshot ID against which you want to make the changes."""


class ReorderOrReplacePlaylistsTracksResponse(TypedDict):
    snapshot_id: NotRequired[str]


class RemoveTracksPlaylistBodyTracksItem(TypedDict):
    uri: NotRequired[str]
    """Spotify URI"""


class RemoveTracksPlaylistBody(TypedDict):
    tracks: list[RemoveTracksPlaylistBodyTracksItem]
    """An array of objects containing Spotify URIs of the tracks or episodes to remove."""
    snapshot_id: NotRequired[str]
    """The playlist's snapshot ID against which you want to make the changes."""


class RemoveTracksPlaylistResponse(TypedDict):
    snapshot_id: NotRequired[str]


class AddItemsToPlaylistBody(TypedDict):
    uris: NotRequired[list[str]]
    """A JSON array of the Spotify URIs to add."""
    position: NotRequired[int]
    """The position to insert the items, a zero-based index."""


class AddItemsToPlaylistResponse(TypedDict):
    snapshot_id: NotRequired[str]


class ReorderOrReplacePlaylistsItemsBody(TypedDict):
    uris: NotRequired[list[str]]
    range_start: NotRequired[int]
    """The position of the first item to be reordered."""
    insert_before: NotRequired[int]
    """The position where the items should be inserted."""
    range_length: NotRequired[int]
    """The amount of items to be reordered."""
    snapshot_id: NotRequired[str]
    """The playlist's snapshot ID against which you want to make the changes."""


class ReorderOrReplacePlaylistsItemsResponse(TypedDict):
    snapshot_id: NotRequired[str]


class RemoveItemsPlaylistBodyItemsItem(TypedDict):
    uri: NotRequired[str]
    """Spotify URI"""


class RemoveItemsPlaylistBody(TypedDict):
    items: list[RemoveItemsPlaylistBodyItemsItem]
    """An array of objects containing Spotify URIs of the tracks or episodes to remove."""
    snapshot_id: NotRequired[str]
    """The playlist's snapshot ID against which you want to make the changes."""


class RemoveItemsPlaylistResponse(TypedDict):
    snapshot_id: NotRequired[str]


class CreatePlaylistBody(TypedDict):
    name: str
    """The name for the new playlist, for example `"Your Coolest Playlist"`."""
    public: NotRequired[bool]
    """Defaults to `true`."""
    collaborative: NotRequired[bool]
    """Defaults to `false`."""
    description: NotRequired[str]
    """value for playlist description as displayed in Spotify Clients and in the Web API."""


class SavedAlbumObject(TypedDict):
    added_at: NotRequired[str]
    """The date and time the album was saved"""
    album: NotRequired[AlbumObject]
    """Information about the album."""


class PagingSavedAlbumObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SavedAlbumObject]


class SaveAlbumsUserBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the Spotify IDs."""


class RemoveAlbumsUserBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the Spotify IDs."""


class SavedTrackObject(TypedDict):
    added_at: NotRequired[str]
    """The date and time the track was saved."""
    track: NotRequired[TrackObject]
    """Information about the track."""


class PagingSavedTrackObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SavedTrackObject]


class SaveTracksUserBodyTimestampedIdsItem(TypedDict):
    id: str
    """The Spotify ID for the track."""
    added_at: str
    """The timestamp when the track was added to the library."""


class SaveTracksUserBody(TypedDict):
    ids: list[str]
    """A JSON array of the Spotify IDs."""
    timestamped_ids: NotRequired[list[SaveTracksUserBodyTimestampedIdsItem]]
    """A JSON array of objects containing track IDs with their corresponding timestamps."""


class RemoveTracksUserBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the Spotify IDs."""


class SavedEpisodeObject(TypedDict):
    added_at: NotRequired[str]
    """The date and time the episode was saved."""
    episode: NotRequired[EpisodeObject]
    """Information about the episode."""


class PagingSavedEpisodeObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SavedEpisodeObject]


class SaveEpisodesUserBody(TypedDict):
    ids: list[str]
    """A JSON array of the Spotify IDs."""


class RemoveEpisodesUserBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the Spotify IDs."""


class SavedShowObject(TypedDict):
    added_at: NotRequired[str]
    """The date and time the show was saved."""
    show: NotRequired[ShowBase]
    """Information about the show."""


class PagingSavedShowObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[SavedShowObject]


class SaveShowsUserBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the Spotify IDs."""


class RemoveShowsUserBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the Spotify IDs."""


class PublicUserObject(TypedDict):
    display_name: NotRequired[str | None]
    """The name displayed on the user's profile."""
    external_urls: NotRequired[ExternalUrlObject]
    """Known public external URLs for this user."""
    followers: NotRequired[FollowersObject]
    """Information about the followers of this user."""
    href: NotRequired[str]
    """A link to the Web API endpoint for this user."""
    id: NotRequired[str]
    """The Spotify user ID for this user."""
    images: NotRequired[list[ImageObject]]
    """The user's profile image."""
    type: NotRequired[Literal['user']]
    """The object type."""
    uri: NotRequired[str]
    """The Spotify URI for this user."""


class CreatePlaylistForUserBody(TypedDict):
    name: str
    """The name for the new playlist, for example `"Your Coolest Playlist"`."""
    public: NotRequired[bool]
    """Defaults to `true`."""
    collaborative: NotRequired[bool]
    """Defaults to `false`."""
    description: NotRequired[str]
    """value for playlist description as displayed in Spotify Clients and in the Web API."""


class FollowPlaylistBody(TypedDict):
    public: NotRequired[bool]
    """Defaults to `true`."""


class PagingFeaturedPlaylistObject(TypedDict):
    message: NotRequired[str]
    """The localized message of a playlist."""
    playlists: NotRequired[PagingPlaylistObject]


class CategoryObject(TypedDict):
    href: str
    """A link to the Web API endpoint returning full details of the category."""
    icons: list[ImageObject]
    """The category icon, in various sizes."""
    id: str
    """The Spotify category ID of the category."""
    name: str
    """The name of the category."""


class GetCategoriesResponseCategories(TypedDict):
    href: str
    """A link to the Web API endpoint returning the full result of the request"""
    limit: int
    """The maximum number of items in the response (as set in the query or by default)."""
    next: str | None
    """URL to the next page of items."""
    offset: int
    """The offset of the items returned (as set in the query or by default)"""
    previous: str | None
    """URL to the previous page of items."""
    total: int
    """The total number of items available to return."""
    items: list[CategoryObject]


class GetCategoriesResponse(TypedDict):
    categories: GetCategoriesResponseCategories


class File(TypedDict):
    """A file: its bytes as base64, or its path in the folder that this server may send files from; with…"""
    base64: NotRequired[str]
    path: NotRequired[str]
    filename: NotRequired[str]
    content_type: NotRequired[str]


class GetNewReleasesResponse(TypedDict):
    albums: PagingSimplifiedAlbumObject


class CursorObject(TypedDict):
    after: NotRequired[str]
    """The cursor to use as key to find the next page of items."""
    before: NotRequired[str]
    """The cursor to use as key to find the previous page of items."""


class CursorPagingSimplifiedArtistObject(TypedDict):
    href: NotRequired[str]
    """A link to the Web API endpoint returning the full result of the request."""
    limit: NotRequired[int]
    """The maximum number of items in the response (as set in the query or by default)."""
    next: NotRequired[str]
    """URL to the next page of items."""
    cursors: NotRequired[CursorObject]
    """The cursors used to find the next set of items."""
    total: NotRequired[int]
    """The total number of items available to return."""
    items: NotRequired[list[ArtistObject]]


class GetFollowedResponse(TypedDict):
    artists: CursorPagingSimplifiedArtistObject


class FollowArtistsUsersBody(TypedDict):
    ids: list[str]
    """A JSON array of the artist or user Spotify IDs."""


class UnfollowArtistsUsersBody(TypedDict):
    ids: NotRequired[list[str]]
    """A JSON array of the artist or user Spotify IDs."""


class AudioFeaturesObject(TypedDict):
    acousticness: NotRequired[float]
    """A confidence measure from 0.0 to 1.0 of whether the track is acoustic."""
    analysis_url: NotRequired[str]
    """A URL to access the full audio analysis of this track."""
    danceability: NotRequired[float]
    """Danceability describes how suitable a track is for dancing based on a combination of musical…"""
    duration_ms: NotRequired[int]
    """The duration of the track in milliseconds."""
    energy: NotRequired[float]
    """Energy is a measure from 0.0 to 1.0 and represents a perceptual measure of intensity and activity."""
    id: NotRequired[str]
    """The Spotify ID for the track."""
    instrumentalness: NotRequired[float]
    """Predicts whether a track contains no vocals."""
    key: NotRequired[int]
    liveness: NotRequired[float]
    """Detects the presence of an audience in the recording."""
    loudness: NotRequired[float]
    mode: NotRequired[int]
    speechiness: NotRequired[float]
    """Speechiness detects the presence of spoken words in a track."""
    tempo: NotRequired[float]
    time_signature: NotRequired[int]
    track_href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the track."""
    type: NotRequired[Literal['audio_features']]
    """The object type."""
    uri: NotRequired[str]
    """The Spotify URI for the track."""
    valence: NotRequired[float]
    """A measure from 0.0 to 1.0 describing the musical positiveness conveyed by a track."""


class GetSeveralAudioFeaturesResponse(TypedDict):
    audio_features: list[AudioFeaturesObject]


class AudioAnalysisObjectMeta(TypedDict):
    analyzer_version: NotRequired[str]
    """The version of the Analyzer used to analyze this track."""
    platform: NotRequired[str]
    """The platform used to read the track's audio data."""
    detailed_status: NotRequired[str]
    """A detailed status code for this track."""
    status_code: NotRequired[int]
    """The return code of the analyzer process."""
    timestamp: NotRequired[int]
    """The Unix timestamp (in seconds) at which this track was analyzed."""
    analysis_time: NotRequired[float]
    """The amount of time taken to analyze this track."""
    input_process: NotRequired[str]
    """The method used to read the track's audio data."""


class AudioAnalysisObjectTrack(TypedDict):
    num_samples: NotRequired[int]
    """The exact number of audio samples analyzed from this track."""
    duration: NotRequired[float]
    """Length of the track in seconds."""
    sample_md5: NotRequired[str]
    """This field will always contain the empty string."""
    offset_seconds: NotRequired[int]
    """An offset to the start of the region of the track that was analyzed."""
    window_seconds: NotRequired[int]
    """The length of the region of the track was analyzed, if a subset of the track was analyzed."""
    analysis_sample_rate: NotRequired[int]
    """The sample rate used to decode and analyze this track."""
    analysis_channels: NotRequired[int]
    """The number of channels used for analysis."""
    end_of_fade_in: NotRequired[float]
    """The time, in seconds, at which the track's fade-in period ends."""
    start_of_fade_out: NotRequired[float]
    """The time, in seconds, at which the track's fade-out period starts."""
    loudness: NotRequired[float]
    tempo: NotRequired[float]
    tempo_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the `tempo`."""
    time_signature: NotRequired[int]
    time_signature_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the `time_signature`."""
    key: NotRequired[int]
    key_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the `key`."""
    mode: NotRequired[int]
    mode_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the `mode`."""
    codestring: NotRequired[str]
    """An Echo Nest Musical Fingerprint (ENMFP) codestring for this track."""
    code_version: NotRequired[float]
    """A version number for the Echo Nest Musical Fingerprint format used in the codestring field."""
    echoprintstring: NotRequired[str]
    """An EchoPrint codestring for this track."""
    echoprint_version: NotRequired[float]
    """A version number for the EchoPrint format used in the echoprintstring field."""
    synchstring: NotRequired[str]
    """A Synchstring for this track."""
    synch_version: NotRequired[float]
    """A version number for the Synchstring used in the synchstring field."""
    rhythmstring: NotRequired[str]
    """A Rhythmstring for this track."""
    rhythm_version: NotRequired[float]
    """A version number for the Rhythmstring used in the rhythmstring field."""


class TimeIntervalObject(TypedDict):
    start: NotRequired[float]
    """The starting point (in seconds) of the time interval."""
    duration: NotRequired[float]
    """The duration (in seconds) of the time interval."""
    confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the interval."""


class SectionObject(TypedDict):
    start: NotRequired[float]
    """The starting point (in seconds) of the section."""
    duration: NotRequired[float]
    """The duration (in seconds) of the section."""
    confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the section's "designation"."""
    loudness: NotRequired[float]
    """The overall loudness of the section in decibels (dB)."""
    tempo: NotRequired[float]
    """The overall estimated tempo of the section in beats per minute (BPM)."""
    tempo_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the tempo."""
    key: NotRequired[int]
    """The estimated overall key of the section."""
    key_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the key."""
    mode: NotRequired[Literal[-1, 0, 1]]
    """Indicates the modality (major or minor) of a section, the type of scale from which its melodic…"""
    mode_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the `mode`."""
    time_signature: NotRequired[int]
    time_signature_confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the `time_signature`."""


class SegmentObject(TypedDict):
    start: NotRequired[float]
    """The starting point (in seconds) of the segment."""
    duration: NotRequired[float]
    """The duration (in seconds) of the segment."""
    confidence: NotRequired[float]
    """The confidence, from 0.0 to 1.0, of the reliability of the segmentation."""
    loudness_start: NotRequired[float]
    """The onset loudness of the segment in decibels (dB)."""
    loudness_max: NotRequired[float]
    """The peak loudness of the segment in decibels (dB)."""
    loudness_max_time: NotRequired[float]
    """The segment-relative offset of the segment peak loudness in seconds."""
    loudness_end: NotRequired[float]
    """The offset loudness of the segment in decibels (dB)."""
    pitches: NotRequired[list[float]]
    """Pitch content is given by a “chroma” vector, corresponding to the 12 pitch classes C, C#, D to B…"""
    timbre: NotRequired[list[float]]
    """Timbre is the quality of a musical note or sound that distinguishes different types of musical…"""


class AudioAnalysisObject(TypedDict):
    meta: NotRequired[AudioAnalysisObjectMeta]
    track: NotRequired[AudioAnalysisObjectTrack]
    bars: NotRequired[list[TimeIntervalObject]]
    """The time intervals of the bars throughout the track."""
    beats: NotRequired[list[TimeIntervalObject]]
    """The time intervals of beats throughout the track."""
    sections: NotRequired[list[SectionObject]]
    """Sections are defined by large variations in rhythm or timbre, e.g."""
    segments: NotRequired[list[SegmentObject]]
    """Each segment contains a roughly conisistent sound throughout its duration."""
    tatums: NotRequired[list[TimeIntervalObject]]
    """A tatum represents the lowest regular pulse train that a listener intuitively infers from the…"""


class RecommendationSeedObject(TypedDict):
    afterFilteringSize: NotRequired[int]
    """The number of tracks available after min\\_\\* and max\\_\\* filters have been applied."""
    afterRelinkingSize: NotRequired[int]
    """The number of tracks available after relinking for regional availability."""
    href: NotRequired[str]
    """A link to the full track or artist data for this seed."""
    id: NotRequired[str]
    """The id used to select this seed."""
    initialPoolSize: NotRequired[int]
    """The number of recommended tracks available for this seed."""
    type: NotRequired[str]
    """The entity type of this seed."""


class RecommendationsObject(TypedDict):
    seeds: list[RecommendationSeedObject]
    """An array of recommendation seed objects."""
    tracks: list[TrackObject]
    """An array of track objects ordered according to the parameters supplied."""


class GetRecommendationGenresResponse(TypedDict):
    genres: list[str]


class DeviceObject(TypedDict):
    id: NotRequired[str | None]
    """The device ID."""
    is_active: NotRequired[bool]
    """If this device is the currently active device."""
    is_private_session: NotRequired[bool]
    """If this device is currently in a private session."""
    is_restricted: NotRequired[bool]
    """Whether controlling this device is restricted."""
    name: NotRequired[str]
    """A human-readable name for the device."""
    type: NotRequired[str]
    """Device type, such as "computer", "smartphone" or "speaker"."""
    volume_percent: NotRequired[int | None]
    """The current volume in percent."""
    supports_volume: NotRequired[bool]
    """If this device can be used to set the volume."""


class ContextObject(TypedDict):
    type: NotRequired[str]
    """The object type, e.g."""
    href: NotRequired[str]
    """A link to the Web API endpoint providing full details of the track."""
    external_urls: NotRequired[ExternalUrlObject]
    """External URLs for this context."""
    uri: NotRequired[str]
    """The Spotify URI for the context."""


class CurrentlyPlayingContextObjectItemOption2(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the episode."""
    description: str
    """A description of the episode."""
    html_description: str
    """A description of the episode."""
    duration_ms: int
    """The episode length in milliseconds."""
    explicit: bool
    """Whether or not the episode has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this episode."""
    href: str
    """A link to the Web API endpoint providing full details of the episode."""
    id: str
    """The Spotify ID for the episode."""
    images: list[ImageObject]
    """The cover art for the episode in various sizes, widest first."""
    is_externally_hosted: bool
    """True if the episode is hosted outside of Spotify's CDN."""
    is_playable: bool
    """True if the episode is playable in the given market."""
    language: NotRequired[str]
    """The language used in the episode, identified by a ISO 639 code."""
    languages: list[str]
    """A list of the languages used in the episode, identified by their ISO 639-1 code."""
    name: str
    """The name of the episode."""
    release_date: str
    """The date the episode was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the episode."""
    type: Literal['EpisodeObject']
    """The object type."""
    uri: str
    """The Spotify URI for the episode."""
    restrictions: NotRequired[EpisodeRestrictionObject]
    """Included in the response when a content restriction is applied."""
    show: ShowBase
    """The show on which the episode belongs."""


class DisallowsObject(TypedDict):
    interrupting_playback: NotRequired[bool]
    """Interrupting playback."""
    pausing: NotRequired[bool]
    """Pausing. Optional field."""
    resuming: NotRequired[bool]
    """Resuming."""
    seeking: NotRequired[bool]
    """Seeking playback location."""
    skipping_next: NotRequired[bool]
    """Skipping to the next context."""
    skipping_prev: NotRequired[bool]
    """Skipping to the previous context."""
    toggling_repeat_context: NotRequired[bool]
    """Toggling repeat context flag."""
    toggling_shuffle: NotRequired[bool]
    """Toggling shuffle flag."""
    toggling_repeat_track: NotRequired[bool]
    """Toggling repeat track flag."""
    transferring_playback: NotRequired[bool]
    """Transfering playback between devices."""


class CurrentlyPlayingContextObject(TypedDict):
    device: NotRequired[DeviceObject]
    """The device that is currently active."""
    repeat_state: NotRequired[str]
    """off, track, context"""
    shuffle_state: NotRequired[bool]
    """If shuffle is on or off."""
    context: NotRequired[ContextObject]
    """A Context Object."""
    timestamp: NotRequired[int]
    """Unix Millisecond Timestamp when playback state was last changed (play, pause, skip, scrub, new…"""
    progress_ms: NotRequired[int]
    """Progress into the currently playing track or episode."""
    is_playing: NotRequired[bool]
    """If something is currently playing, return `true`."""
    item: NotRequired[TrackObject | CurrentlyPlayingContextObjectItemOption2]
    """The currently playing track or episode."""
    currently_playing_type: NotRequired[str]
    """The object type of the currently playing item."""
    actions: NotRequired[DisallowsObject]
    """Allows to update the user interface based on which playback actions are available within the…"""


class TransferAUsersPlaybackBody(TypedDict):
    device_ids: list[str]
    """A JSON array containing the ID of the device on which playback should be started/transferred."""
    play: NotRequired[bool]
    """**true**: ensure playback happens on new device."""


class GetAUsersAvailableDevicesResponse(TypedDict):
    devices: list[DeviceObject]


class CurrentlyPlayingObjectItemOption2(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the episode."""
    description: str
    """A description of the episode."""
    html_description: str
    """A description of the episode."""
    duration_ms: int
    """The episode length in milliseconds."""
    explicit: bool
    """Whether or not the episode has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this episode."""
    href: str
    """A link to the Web API endpoint providing full details of the episode."""
    id: str
    """The Spotify ID for the episode."""
    images: list[ImageObject]
    """The cover art for the episode in various sizes, widest first."""
    is_externally_hosted: bool
    """True if the episode is hosted outside of Spotify's CDN."""
    is_playable: bool
    """True if the episode is playable in the given market."""
    language: NotRequired[str]
    """The language used in the episode, identified by a ISO 639 code."""
    languages: list[str]
    """A list of the languages used in the episode, identified by their ISO 639-1 code."""
    name: str
    """The name of the episode."""
    release_date: str
    """The date the episode was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the episode."""
    type: Literal['EpisodeObject']
    """The object type."""
    uri: str
    """The Spotify URI for the episode."""
    restrictions: NotRequired[EpisodeRestrictionObject]
    """Included in the response when a content restriction is applied."""
    show: ShowBase
    """The show on which the episode belongs."""


class CurrentlyPlayingObject(TypedDict):
    context: NotRequired[ContextObject]
    """A Context Object."""
    timestamp: NotRequired[int]
    """Unix Millisecond Timestamp when data was fetched"""
    progress_ms: NotRequired[int]
    """Progress into the currently playing track or episode."""
    is_playing: NotRequired[bool]
    """If something is currently playing, return `true`."""
    item: NotRequired[TrackObject | CurrentlyPlayingObjectItemOption2]
    """The currently playing track or episode."""
    currently_playing_type: NotRequired[str]
    """The object type of the currently playing item."""
    actions: NotRequired[DisallowsObject]
    """Allows to update the user interface based on which playback actions are available within the…"""


class StartAUsersPlaybackBody(TypedDict):
    context_uri: NotRequired[str]
    """Optional."""
    uris: NotRequired[list[str]]
    """Optional."""
    offset: NotRequired[dict[str, Any]]
    """Optional."""
    position_ms: NotRequired[int]
    """Indicates from what position to start playback."""


class PlayHistoryObject(TypedDict):
    track: NotRequired[TrackObject]
    """The track the user listened to."""
    played_at: NotRequired[str]
    """The date and time the track was played."""
    context: NotRequired[ContextObject]
    """The context the track was played from."""


class CursorPagingPlayHistoryObject(TypedDict):
    href: NotRequired[str]
    """A link to the Web API endpoint returning the full result of the request."""
    limit: NotRequired[int]
    """The maximum number of items in the response (as set in the query or by default)."""
    next: NotRequired[str]
    """URL to the next page of items."""
    cursors: NotRequired[CursorObject]
    """The cursors used to find the next set of items."""
    total: NotRequired[int]
    """The total number of items available to return."""
    items: NotRequired[list[PlayHistoryObject]]


class QueueObjectCurrentlyPlayingOption2(TypedDict):
    audio_preview_url: str | None
    """A URL to a 30 second preview (MP3 format) of the episode."""
    description: str
    """A description of the episode."""
    html_description: str
    """A description of the episode."""
    duration_ms: int
    """The episode length in milliseconds."""
    explicit: bool
    """Whether or not the episode has explicit content (true = yes it does; false = no it does not OR…"""
    external_urls: ExternalUrlObject
    """External URLs for this episode."""
    href: str
    """A link to the Web API endpoint providing full details of the episode."""
    id: str
    """The Spotify ID for the episode."""
    images: list[ImageObject]
    """The cover art for the episode in various sizes, widest first."""
    is_externally_hosted: bool
    """True if the episode is hosted outside of Spotify's CDN."""
    is_playable: bool
    """True if the episode is playable in the given market."""
    language: NotRequired[str]
    """The language used in the episode, identified by a ISO 639 code."""
    languages: list[str]
    """A list of the languages used in the episode, identified by their ISO 639-1 code."""
    name: str
    """The name of the episode."""
    release_date: str
    """The date the episode was first released, for example `"1981-12-15"`."""
    release_date_precision: Literal['year', 'month', 'day']
    """The precision with which `release_date` value is known."""
    resume_point: NotRequired[ResumePointObject]
    """The user's most recent position in the episode."""
    type: Literal['EpisodeObject']
    """The object type."""
    uri: str
    """The Spotify URI for the episode."""
    restrictions: NotRequired[EpisodeRestrictionObject]
    """Included in the response when a content restriction is applied."""
    show: ShowBase
    """The show on which the episode belongs."""


class QueueObject(TypedDict):
    currently_playing: NotRequired[TrackObject | QueueObjectCurrentlyPlayingOption2]
    """The currently playing track or episode."""
    queue: NotRequired[list[TrackObject | QueueObjectCurrentlyPlayingOption2]]
    """The tracks or episodes in the queue."""


class GetAvailableMarketsResponse(TypedDict):
    markets: NotRequired[list[str]]
