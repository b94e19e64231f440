"""Text of a document as a model should read it: no HTML, no wasted space, no more than it needs.

Pure functions on strings. The words themselves are never changed; where a link leads, which a model does not follow, is left out.
"""

from __future__ import annotations

import html
import re

MAX_TOOL = 1000  # characters; OpenAI takes 1,024 in a function's description
MAX_ARGUMENT = 500

# Only names that HTML has: `<id>` in a sentence is a placeholder and stays.
TAGS = re.compile(
    r"</?(a|abbr|article|aside|b|blockquote|br|caption|center|cite|code|col|colgroup|dd|del|details|div|dl|dt|em|"
    r"figcaption|figure|font|footer|h[1-6]|header|hr|i|img|ins|kbd|li|main|mark|nav|ol|p|pre|q|s|samp|section|"
    r"small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var)(\s[^<>]*)?/?>",
    re.IGNORECASE,
)
BLOCKS = re.compile(r"</?(br|p|div|li|tr|h[1-6]|ul|ol|table|blockquote|pre|dd|dt)\b", re.IGNORECASE)
COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
ENTITY = re.compile(r"&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029]")
# A surrogate cannot be written as UTF-8; invisible direction marks can hide text from a person.
UNSAFE = re.compile(r"[\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
TARGET = r"\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"
LINK = re.compile(rf"!?(?<!\w)\[([^\[\]]*){TARGET}")
# "For more information, see "[Pagination](https://…)".": without the link it says nothing.
POINTER = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:For more (?:information|details)|Learn more|See(?: also)?)\b[^.!?\n\[]*"
    rf"\[[^\[\]]*{TARGET}(?:,? (?:and|or) \"?\[[^\[\]]*{TARGET})*[\"'”)]*\.[\"'”)]*(?=\s|$)",
    re.MULTILINE,
)
SENTENCE = re.compile(r"[.!?](?=\s|$)")


def clean(text: str) -> str:
    """Drop HTML tags and comments and where links lead, undo entities, and collapse runs of space; other Markdown stays."""
    text = COMMENTS.sub(" ", text)
    if TAGS.search(text):
        text = TAGS.sub(lambda tag: "\n" if BLOCKS.match(tag[0]) else "", text)
        text = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    if "](" in text:
        text = LINK.sub(r"\1", POINTER.sub("", text))
    text = UNSAFE.sub("\ufffd", CONTROL.sub(" ", text.replace("\r\n", "\n")))
    lines = [re.sub(r"[ \t\u00a0]+", " ", line).strip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def cap(text: str, limit: int) -> str:
    """At most `limit` characters, cut after a sentence where one ends in the second half."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    ends = [match.end() for match in SENTENCE.finditer(head)]
    if ends and ends[-1] > limit // 2:
        return head[: ends[-1]]
    return head.rsplit(" ", 1)[0].rstrip(",;:- ") + "…"


def first_line(text: str, limit: int = 100) -> str:
    """The first sentence or line, for a title or the first line of a docstring."""
    line = clean(text).split("\n", 1)[0]
    end = SENTENCE.search(line)
    return cap(line[: end.end()] if end and end.end() > 8 else line, limit)


def describe(summary: str, description: str, *, deprecated: bool) -> str:
    """What a tool does: the summary, then the description where it says more."""
    short, long = clean(summary), clean(description)
    if short and not short.endswith((".", "!", "?", ":")):
        short += "."
    if not long or long.rstrip(".").lower() == short.rstrip(".").lower():
        text = short
    elif long.lower().startswith(short.rstrip(".").lower()):
        text = long
    else:
        text = f"{short}\n\n{long}".strip()
    if deprecated:
        text = f"Deprecated. {text}".strip()
    return cap(text, MAX_TOOL)
