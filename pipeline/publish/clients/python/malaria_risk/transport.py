"""Requests: the key, waits, errors, the pinned model version, and answers kept by their ETag."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from collections import OrderedDict
from pathlib import Path
from typing import Callable, Mapping, NamedTuple, Optional, Union

import requests

from .errors import ServiceError, VersionChanged, error_of

VERSION = "0.1.0"
#: Answers kept in memory; the one asked for longest ago goes first.
KEPT = 64


class Kept(NamedTuple):
    """An answer and the ETag that it had."""

    etag: str
    body: bytes


class _Bearer(requests.auth.AuthBase):
    """Sends the key. Without this, a ``.netrc`` entry for the host would take the header's place."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class Transport:
    """GETs of one service with one key. Not for several threads at once."""

    def __init__(
        self,
        base_url: str,
        key: str,
        max_wait: float,
        timeout: float,
        cache_dir: Union[str, Path, None],
        model_version: Optional[str],
    ) -> None:
        self._base = base_url.rstrip("/")
        self._max_wait = max_wait
        self._timeout = timeout
        self._cache_dir = None if cache_dir is None else Path(cache_dir)
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._session = requests.Session()
        self._session.auth = _Bearer(key)
        self._session.headers["User-Agent"] = f"malaria-risk-python/{VERSION}"
        self.model_version = model_version
        #: That the service has another version by now.
        self._changed: Optional[VersionChanged] = None
        #: How many requests were sent.
        self.requests = 0

    def close(self) -> None:
        self._session.close()

    def get(self, path: str, parameters: Mapping[str, str]) -> bytes:
        """Body of the answer; one that has not changed since it was last read is not sent again."""
        address = requests.Request("GET", self._base + path, params=dict(parameters)).prepare().url
        return self._of_one_version(address, self._get)

    def _get(self, url: str) -> bytes:
        kept = self._recall(url)
        headers = {"If-None-Match": kept.etag} if kept else {}

        def read(response: requests.Response) -> bytes:
            if response.status_code == 304 and kept:
                return kept.body
            body = b"".join(_whole(response))
            if response.headers.get("ETag"):
                self._keep(url, Kept(response.headers["ETag"], body))
            return body

        return self._send(url, headers, read)

    def download(self, path: str, target: Path) -> None:
        """Writes the answer to ``target``, which is there whole or not at all."""

        def write(response: requests.Response) -> None:
            _write(target, _whole(response))

        self._of_one_version(self._base + path, lambda url: self._send(url, {}, write))

    def restart(self) -> None:
        """Forgets the pinned version."""
        self.model_version = None
        self._changed = None

    def _of_one_version(self, url: str, use: Callable):
        """Asks for the pinned version by its own path once the service has another, for as long as it keeps it."""
        if self._changed is None or url.startswith(self._base + "/v1/versions"):
            try:
                return use(url)
            except VersionChanged as changed:
                self._changed = changed
        try:
            return use(url.replace("/v1/", f"/v1/versions/{self.model_version}/", 1))
        except ServiceError as error:
            if error.code in ("UNKNOWN_VERSION", "NOT_FOUND"):
                raise self._changed from None
            raise

    def _send(self, url: str, headers: Mapping[str, str], use: Callable):
        """Sends until there is an answer or waiting would take longer than ``max_wait`` seconds in all."""
        waited = 0
        while True:
            self.requests += 1
            with self._session.get(
                url, headers=headers, timeout=self._timeout, stream=True, allow_redirects=False
            ) as response:
                if response.status_code in (200, 304):
                    self._pin(response.headers.get("Model-Version"))
                    return use(response)
                retry_after = _seconds(response.headers.get("Retry-After"))
                error = error_of(response.status_code, _problem(response), retry_after)
            # A second at the least, so that many zeros in a row end too.
            pause = None if retry_after is None else max(1, retry_after)
            may_pass = error.status in (429, 503) and error.code != "ALLOWANCE_EXHAUSTED"
            if not may_pass or pause is None or waited + pause > self._max_wait:
                raise error
            time.sleep(pause)
            waited += pause

    def _pin(self, found: Optional[str]) -> None:
        if found is None:
            return
        if self.model_version is not None and self.model_version != found:
            raise VersionChanged(self.model_version, found)
        self.model_version = found

    def _recall(self, url: str) -> Optional[Kept]:
        if url in self._kept:
            self._kept.move_to_end(url)
            return self._kept[url]
        if self._cache_dir is None:
            return None
        try:
            head, _, body = self._file(url).read_bytes().partition(b"\n")
            found = json.loads(head)
            if found["url"] == url and found["sha256"] == hashlib.sha256(body).hexdigest():
                return Kept(found["etag"], body)
        except (OSError, ValueError, KeyError, TypeError):
            pass  # Not there, or damaged: it is read anew.
        return None

    def _keep(self, url: str, kept: Kept) -> None:
        if self._cache_dir is None:
            self._kept[url] = kept
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return
        head = {"url": url, "etag": kept.etag, "sha256": hashlib.sha256(kept.body).hexdigest()}
        self._cache_dir.mkdir(parents=True, exist_ok=True)
        _write(self._file(url), [json.dumps(head).encode(), b"\n", kept.body])

    def _file(self, url: str) -> Path:
        assert self._cache_dir is not None
        return self._cache_dir / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}.answer"


def _whole(response: requests.Response):
    """The body in parts. Raises ``requests.ConnectionError`` if it ends early, which ``requests`` itself lets pass."""
    yield from response.iter_content(1 << 16)
    length = response.headers.get("Content-Length")
    if length is not None and response.raw.tell() != int(length):
        raise requests.ConnectionError(f"the answer broke off after {response.raw.tell()} of {length} bytes")


def _write(target: Path, parts) -> None:
    """Writes beside ``target`` and renames, so that no half file ever has its name."""
    handle, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
        os.replace(aside, target)
    except BaseException:
        os.unlink(aside)
        raise


def _seconds(retry_after: Optional[str]) -> Optional[int]:
    return int(retry_after) if retry_after and re.fullmatch(r"[0-9]{1,9}", retry_after) else None


def _problem(response: requests.Response) -> Mapping:
    try:
        body = response.json()
        if isinstance(body, dict):
            return body
    except ValueError:
        pass
    return {"title": response.reason or "no data", "detail": f"{response.url} answered what this service never does."}
