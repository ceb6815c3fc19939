"""Client of the Malaria Risk Data Service; see :class:`MalariaRisk`."""

from __future__ import annotations

import io
import os
import re
import time
import unicodedata
from typing import Any, Optional

import pandas
import requests

__version__ = "0.2.0"

#: Longest wait that the service may ask for, as its minute may end a second late, and how often the client waits.
MAX_WAIT_SECONDS, MAX_WAITS = 61, 3
#: Seconds to wait for a connection and for the next bytes.
TIMEOUT = 30


class MalariaRisk:
    """Reads a Malaria Risk Data Service, everything from one model version.

    >>> client = MalariaRisk("https://malaria.example.org")
    >>> client.table("risk_lgas")

    Errors are those of ``requests``. The message of an ``HTTPError`` is what the service says; its JSON is
    ``error.response.json()``, with ``code``, ``detail`` and ``request_id``.

    :param base_url: base URL of the service
    :param key: API key; default: the environment variable ``MALARIA_API_KEY``
    :param model_version: version to read, which ``/v1/versions`` must list as current or kept; default: the current one
    """

    def __init__(self, base_url: str, key: Optional[str] = None, model_version: Optional[str] = None) -> None:
        token = (key or os.environ["MALARIA_API_KEY"]).strip()

        def authenticate(request: requests.PreparedRequest) -> requests.PreparedRequest:
            request.headers["Authorization"] = f"Bearer {token}"
            return request

        self._base_url = base_url.rstrip("/")
        self._session = requests.Session()
        # As a function, since an entry in .netrc would replace a header.
        self._session.auth = authenticate
        self._session.headers["User-Agent"] = f"malaria-risk-python/{__version__}"
        #: The model version of all answers.
        self.model_version = model_version or self._request("/v1/periods", {}).json()["model_version"]

    def get(self, path: str, **parameters: Any) -> requests.Response:
        """The answer of any operation, such as ``get("/v1/risk/lgas", state="CODE").json()``."""
        if not path.startswith("/v1/versions"):
            path = path.replace("/v1/", f"/v1/versions/{self.model_version}/", 1)
        return self._request(path, parameters)

    def table(self, name: str) -> pandas.DataFrame:
        """A whole table, such as ``risk_lgas``: all months of all areas. Codes are text, and ``NA`` may be one."""
        text = io.BytesIO(self.get(f"/v1/tables/{name}.csv").content)
        columns = next(one["columns"] for one in self.get("/v1/tables").json()["tables"] if one["table"] == name)
        # Codes are text although they may look like numbers.
        types = {one["column"]: str for one in columns if one["type"] == "VARCHAR"}
        return pandas.read_csv(text, dtype=types, keep_default_na=False, na_values=[""])

    def map(self, period: Optional[str] = None) -> Any:
        """The outline of every area with its scores, as a ``GeoDataFrame``.

        :param period: month as YYYY-MM; default: the latest estimated one
        """
        import geopandas  # Nothing else needs it.

        outlines = geopandas.GeoDataFrame.from_features(self.get("/v1/boundaries/nation").json(), crs="EPSG:4326")
        risk = self.get("/v1/risk/nation", period=period).json()
        scores = pandas.DataFrame(risk["lgas"]).assign(period=risk["period"])
        codes = outlines.rename(columns={"lgaCode": "lga_code"})[["lga_code", "geometry"]]
        return codes.merge(scores, on="lga_code", how="left")

    def with_codes(self, rows: pandas.DataFrame, lga: str = "lga", state: str = "state") -> pandas.DataFrame:
        """Your own table with the column ``lga_code``, which is missing where no area, or more than one, has the name.

        Names are compared without case, accents and punctuation, within their upper-level area.

        :param lga: column with the area's name
        :param state: column with the name or code of its upper-level area
        """
        places = self.get("/v1/places").json()
        states = {
            _normalize(name): one["state_code"]
            for one in places["states"]
            for name in (*one["aliases"], one["pcode"], one["iso_code"], one["state"], one["state_code"])
            if name is not None
        }
        names = [
            (one["state_code"], _normalize(name), one["lga_code"])
            for one in places["lgas"]
            for name in (one["lga"], *one["aliases"])
        ]
        all_names = pandas.DataFrame(names, columns=["state", "lga", "lga_code"]).drop_duplicates()
        keys = ["state", "lga"]
        unique = all_names.drop_duplicates(keys, keep=False).set_index(keys)["lga_code"].to_dict()
        row_names = zip(rows[state].map(_normalize).map(states), rows[lga].map(_normalize))
        return rows.assign(lga_code=[unique.get(place) for place in row_names])

    def _request(self, path: str, parameters: Any) -> requests.Response:
        """The answer, after the waits that the service asks for, except for a used-up monthly allowance."""
        for attempt in range(MAX_WAITS + 1):
            response = self._session.get(
                self._base_url + path, params=parameters, timeout=TIMEOUT, allow_redirects=False
            )
            wait = response.headers.get("Retry-After", "")
            is_short = wait.isdecimal() and int(wait) <= MAX_WAIT_SECONDS
            if response.status_code not in (429, 503) or not is_short or attempt == MAX_WAITS:
                break
            time.sleep(int(wait))
        if response.status_code != 200:
            raise requests.HTTPError(_error_message(response), response=response)
        # Older versions of requests take an answer that was cut off for a whole one.
        length = response.headers.get("Content-Length")
        if length is not None and response.raw.tell() < int(length):
            raise requests.ConnectionError(f"the answer ended after {response.raw.tell()} of {length} bytes")
        return response


def _error_message(response: requests.Response) -> str:
    if response.headers.get("Content-Type", "").startswith("application/problem+json"):
        return "{code} ({status}): {title}. {detail} (request {request_id})".format(**response.json())
    return f"{response.status_code} {response.reason}: the answer from {response.url} did not come from the service"


def _normalize(name: Any) -> str:
    """A name without case, accents, spaces and punctuation: ``Saint-Élie`` and ``saint elie`` are the same."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", str(name)).casefold())
