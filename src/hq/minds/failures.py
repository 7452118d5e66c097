"""Whatever goes wrong between us and a provider, as one of three errors that say who must act. Translated here, once."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from pydantic_ai import exceptions as said

from hq.minds.config import MindConfig, name_a_key
from hq.minds.mind import HistoryRefused, KeyRefused, MindAway, MindBusy, MindDown, MindRefused

GUESS = timedelta(seconds=20)
SOON = 5.0
"""Seconds: a pause asked for by an overloaded server that is shorter than this is sat out, not announced."""
_KEYLIKE = re.compile(r"\b(sk|key|gsk|AIza|xai|or)[-_][\w*.-]{6,}|\bAIza[\w-]{10,}")


def translated(error: Exception, config: MindConfig, model: str, key: str | None, now: datetime) -> Exception:
    """An error of ours, in words that name no secret. What is already ours stays as it is."""
    name = f"{config.name} ({model})"
    after = getattr(error, "retry_after", None)
    fails = (
        isinstance(error, said.ModelHTTPError) and error.status_code >= 500
    )  # whatever else it says: no quota is used up
    match error:
        case MindBusy() | MindDown() | MindRefused():
            return error
        case said.ModelRateLimitError() | said.ModelQuotaExceededError() if not fails:
            return _busy(f"{name} takes no more just now (a rate limit, or its quota is used up)", after, now)
        case _ if (fails or isinstance(error, said.ModelUnavailableError)) and after and after > SOON:
            return _busy(f"{name} does not answer", after, now, MindAway)
        case said.ModelTimeoutError() | said.ModelRequestTimeout() | TimeoutError():
            return MindDown(f"{name} did not answer within {config.seconds} s", timeout=True, waited=config.seconds)
        case said.ModelConnectionError():
            return MindDown(f"{name} does not answer: {_words(error, key)}", unreachable=True)
        case said.ModelUnavailableError() | said.ModelServerError():
            return MindDown(f"{name} does not answer: {_words(error, key)}")
        case said.ModelContextWindowExceededError():
            return HistoryRefused(
                f"the conversation is too long for {name}", hint="compact it, or set a mind with a larger context"
            )
        case said.ModelAuthenticationError():
            return KeyRefused(
                f"{name} refused the key {config.key_name or '(none)'}",
                hint=f"`hq vault set {config.key_name}`" if config.key_name else name_a_key(config),
            )
        case said.ModelNotFoundError():
            return MindRefused(
                f"{name}: there is no such model",
                hint=f"`hq mind set {config.name} --model <name>` names another",
                unknown=model,
            )
        case said.ModelHTTPError() if error.status_code in (408, 409, 425) or error.status_code >= 500:
            return MindDown(f"{name} does not answer: {_words(error, key)}")
        case said.ModelHTTPError() if error.status_code in (400, 413, 422):
            return HistoryRefused(f"{name} refused what was asked: {_words(error, key)}")
        case said.ModelHTTPError() | said.ModelRequestRejectedError() | said.UserError():
            return MindRefused(f"{name} refused what was asked: {_words(error, key)}")
        case said.ModelAPIError():
            return MindDown(f"{name} does not answer: {_words(error, key)}")
        case _:
            return MindDown(f"{name} answered something that cannot be read ({type(error).__name__})")


def _busy(what: str, after: float | None, now: datetime, kind: type[MindBusy] = MindBusy) -> MindBusy:
    until = now + (timedelta(seconds=max(after, 1)) if after is not None else GUESS)
    return kind(what, until, promised=after is not None)


def _words(error: Exception, key: str | None) -> str:
    """The provider's own sentence, short, without anything that looks like a key."""
    body: Any = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message") if isinstance(inner, dict) else inner
    status = getattr(error, "status_code", None)
    text = str(body or error).strip().splitlines()[0][:200] if str(body or error).strip() else type(error).__name__
    text = text.rstrip(". ")  # it is part of a sentence of ours
    if key:
        text = text.replace(key, "…")
    return (f"HTTP {status}: " if status else "") + _KEYLIKE.sub("…", text)
