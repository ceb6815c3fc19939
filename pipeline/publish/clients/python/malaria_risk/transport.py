"""Requests: key, waiting, errors, the pinned model version, and the cache of answers by ETag."""

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
#: Number of answers kept in memory; the least recently used is dropped first.
KEPT = 64


class CachedAnswer(NamedTuple):
    """A cached answer and its ETag."""

    etag: str
    body: bytes


class _Bearer(requests.auth.AuthBase):
    """Sends the key. Without this class, a ``.netrc`` entry for the host would replace the header."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class Transport:
    """Sends GET requests to one service with one key. Not thread-safe."""

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
        self._kept: OrderedDict[str, CachedAnswer] = OrderedDict()
        self._session = requests.Session()
        self._session.auth = _Bearer(key)
        self._session.headers["User-Agent"] = f"malaria-risk-python/{VERSION}"
        self.model_version = model_version
        #: Set once the service has another version.
        self._changed: Optional[VersionChanged] = None
        #: Number of requests sent.
        self.requests = 0

    def close(self) -> None:
        self._session.close()

    def get(self, path: str, parameters: Mapping[str, str]) -> bytes:
        """Body of the answer; an answer that is unchanged since the last call is not transferred again."""
        address = requests.Request("GET", self._base + path, params=dict(parameters)).prepare().url
        return self._of_one_version(address, self._get)

    def _get(self, url: str) -> bytes:
        kept = self._recall(url)
        headers = {"If-None-Match": kept.etag} if kept else {}

        def read(response: requests.Response) -> bytes:
            if response.status_code == 304 and kept:
                return kept.body
            body = b"".join(_body_of(response))
            if response.headers.get("ETag"):
                self._keep(url, CachedAnswer(response.headers["ETag"], body))
            return body

        return self._send(url, headers, read)

    def download(self, path: str, target: Path) -> None:
        """Writes the answer to ``target``; if the download fails, no file is written."""

        def write(response: requests.Response) -> None:
            _write(target, _body_of(response))

        self._of_one_version(self._base + path, lambda url: self._send(url, {}, write))

    def restart(self) -> None:
        """Forgets the pinned version."""
        self.model_version = None
        self._changed = None

    def _of_one_version(self, url: str, use: Callable):
        """Requests the pinned version by its own path once the service has a newer one, as long as it is kept."""
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
        """Repeats the request until there is an answer or the total wait would exceed ``max_wait`` seconds."""
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
            # At least a second, so that the loop ends even if the service keeps sending zero.
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

    def _recall(self, url: str) -> Optional[CachedAnswer]:
        if url in self._kept:
            self._kept.move_to_end(url)
            return self._kept[url]
        if self._cache_dir is None:
            return None
        try:
            head, _, body = self._file(url).read_bytes().partition(b"\n")
            found = json.loads(head)
            if found["url"] == url and found["sha256"] == hashlib.sha256(body).hexdigest():
                return CachedAnswer(found["etag"], body)
        except (OSError, ValueError, KeyError, TypeError):
            pass  # Missing or damaged: it is requested again.
        return None

    def _keep(self, url: str, kept: CachedAnswer) -> None:
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


def _body_of(response: requests.Response):
    """The body in parts. Raises ``requests.ConnectionError`` if it ends early, which ``requests`` itself ignores."""
    yield from response.iter_content(1 << 16)
    length = response.headers.get("Content-Length")
    if length is not None and response.raw.tell() != int(length):
        raise requests.ConnectionError(f"the answer ended after {response.raw.tell()} of {length} bytes")


def _write(target: Path, parts) -> None:
    """Writes to a temporary file and renames it, so that ``target`` is never incomplete."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
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
    return {"title": response.reason or "no data", "detail": f"The answer from {response.url} did not come from this service."}
