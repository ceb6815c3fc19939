"""The package's errors; if the service cannot be reached, ``requests`` raises its own."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class MalariaRiskError(Exception):
    """Any error of this package."""


class VersionChanged(MalariaRiskError):
    """The service has published another model version and no longer keeps that of this client.

    Answers of the two versions must not be mixed. Call :meth:`MalariaRisk.restart` and read everything again.
    """

    def __init__(self, pinned: str, found: str) -> None:
        super().__init__(f"model version was {pinned}, is now {found}: call restart() and read everything again")
        self.pinned = pinned
        self.found = found


class ServiceError(MalariaRiskError):
    """An answer other than data.

    :ivar code: such as ``UNKNOWN_STATE``; ``HTTP_502`` and the like if another server answered instead of the service
    :ivar status: HTTP status
    :ivar title: what is wrong
    :ivar detail: what to do about it
    :ivar request_id: quote this when asking for help
    :ivar retry_after: seconds until another try makes sense, or None if the service does not say
    :ivar problem: the complete body
    """

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: Optional[int] = None) -> None:
        self.status = status
        self.problem = dict(problem)
        self.code = str(problem.get("code") or f"HTTP_{status}")
        self.title = str(problem.get("title") or "")
        self.detail = str(problem.get("detail") or "")
        self.request_id = str(problem.get("request_id") or "")
        self.retry_after = retry_after
        about = f"{self.code} ({status}): {self.title}. {self.detail}"
        super().__init__(f"{about} (request {self.request_id})" if self.request_id else about)


class InvalidKey(ServiceError):
    """401: the key is unknown, expired or revoked; the service does not say which."""


class ScopeRequired(ServiceError):
    """403: the key lacks a scope."""


class RateLimited(ServiceError):
    """429: too many requests in a minute, and the wait is longer than the caller allows."""


class AllowanceExhausted(ServiceError):
    """429: the monthly allowance is used up. The client does not wait; ``retry_after``: seconds to its renewal."""


class Unavailable(ServiceError):
    """5xx: the service cannot answer this now, or has no such data."""


def error_of(status: int, problem: Mapping[str, Any], retry_after: Optional[int]) -> ServiceError:
    """The error for an answer other than data."""
    if problem.get("code") == "ALLOWANCE_EXHAUSTED":
        kind: type[ServiceError] = AllowanceExhausted
    elif status >= 500:
        kind = Unavailable
    else:
        kind = {401: InvalidKey, 403: ScopeRequired, 429: RateLimited}.get(status, ServiceError)
    return kind(status, problem, retry_after)
