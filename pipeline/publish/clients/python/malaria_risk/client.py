"""The client: returns data frames if pandas is installed, else lists of dicts."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from .places import match
from .transport import Transport

#: A ``pandas.DataFrame``, or a list of dicts without pandas and with ``records=True``.
Rows = Any


def _has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


class MalariaRisk:
    """Reads a Malaria Risk Data Service.

    >>> client = MalariaRisk("https://malaria.example.org")     # key from MALARIA_API_KEY
    >>> client.risk("2023-09")                                  # every area of the nation, one request

    All answers come from the model version of the first answer, ``model_version``. After the service has published
    another, the client requests the first by its own path; if the service no longer keeps it, :class:`VersionChanged` is
    raised, so that the two are never mixed.

    :param base_url: base URL of the service
    :param key: API key; default: the environment variable ``MALARIA_API_KEY``
    :param max_wait: total seconds that one call may wait at a rate limit (429) or while the service is busy (503); if
        the service asks for a longer wait, the error is raised at once. The client never waits for the renewal of a
        monthly allowance.
    :param timeout: seconds to wait for a connection and for the next bytes
    :param cache_dir: folder that keeps answers between runs; default: in memory. Cached answers are always revalidated
        with the service before use.
    :param model_version: accept answers of this version only, which ``get("/v1/versions")`` must list as current or kept
    :param records: return lists of dicts even if pandas is installed
    """

    def __init__(
        self,
        base_url: str,
        key: Optional[str] = None,
        *,
        max_wait: float = 60,
        timeout: float = 30,
        cache_dir: Union[str, Path, None] = None,
        model_version: Optional[str] = None,
        records: bool = False,
    ) -> None:
        key = key or os.environ.get("MALARIA_API_KEY", "")
        if not key.strip():
            raise ValueError("no API key: give key=, or set MALARIA_API_KEY")
        if not re.match(r"https?://", base_url):
            raise ValueError(f"base_url is {base_url!r}, expected http:// or https://")
        self._transport = Transport(base_url, key.strip(), max_wait, timeout, cache_dir, model_version)
        self._frames = not records and _has("pandas")

    @property
    def model_version(self) -> Optional[str]:
        """The model version of all answers so far; None before the first."""
        return self._transport.model_version

    @property
    def requests(self) -> int:
        """Number of requests that this client has sent."""
        return self._transport.requests

    def close(self) -> None:
        """Closes the connections, as ``with MalariaRisk(…) as client:`` does."""
        self._transport.close()

    def __enter__(self) -> MalariaRisk:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def restart(self) -> None:
        """Forgets the pinned model version; the next answer pins its own."""
        self._transport.restart()

    def get(self, path: str, **parameters: Union[str, int]) -> Dict[str, Any]:
        """The JSON answer of any operation, such as ``get("/v1/risk/lgas", state="CODE")``."""
        return json.loads(self._transport.get(path, {name: str(value) for name, value in parameters.items()}))

    def periods(self) -> Dict[str, str]:
        """``last_estimated``, ``last_forecast``, ``updated_at`` and ``model_version``."""
        return self.get("/v1/periods")

    def risk(self, period: Optional[str] = None, *, state: Optional[str] = None) -> Rows:
        """Estimated risk of every area of the nation, or of one upper-level area: one row per area.

        :param period: month as YYYY-MM; default: the latest estimated one
        :param state: code of an upper-level area
        """
        when = {} if period is None else {"period": period}
        if state is None:
            return self._rows(_flat(self.get("/v1/risk/nation", **when)))
        return self._rows(_flat(self.get("/v1/risk/lgas", state=state, **when)))

    def forecasts(self, months: int = 4, *, state: Optional[str] = None) -> Rows:
        """Forecast risk of every area of the nation, or of one upper-level area: one row per area and month.

        :param months: number of months ahead, 1 to 4
        """
        if state is None:
            answer = self.get("/v1/forecasts/nation", months=months)
        else:
            answer = self.get("/v1/forecasts/lgas", state=state, months=months)
        return self._rows([row for report in answer["forecasts"] for row in _flat(report)])

    def series(self, *, lga: Optional[str] = None, state: Optional[str] = None) -> Rows:
        """All months, estimated and forecast, of one area, by the code ``lga`` or, on the upper level, ``state``."""
        if (lga is None) == (state is None):
            raise ValueError("give either lga or state; every area's history is table('risk_lgas')")
        answer = self.get("/v1/series/states", state=state) if lga is None else self.get("/v1/series/lgas", lga=lga)
        return self._rows(_flat(answer, "series"))

    def places(self) -> Rows:
        """Every area with its codes, names, upper-level area and centre, for joins with your own tables."""
        places = self.get("/v1/places")
        names = {one["state_code"]: one["state"] for one in places["states"]}
        return self._rows([{**place, "state": names[place["state_code"]]} for place in places["lgas"]])

    def boundaries(self, level: str = "lgas") -> Any:
        """Outlines of every area, or with ``"states"`` of every upper-level area.

        A ``GeoDataFrame`` with the columns ``lga_code``, ``lga`` and ``state_code`` (states: ``state_code``, ``state``,
        ``zone``) if geopandas is installed, else GeoJSON with those properties.
        """
        if level not in ("lgas", "states"):
            raise ValueError(f"level is {level!r}, expected 'lgas' or 'states'")
        outlines = self.get("/v1/boundaries/nation" if level == "lgas" else "/v1/boundaries/states")
        names = {"code": "state_code", "name": "state", "lgaCode": "lga_code", "state": "state_code"}
        for feature in outlines["features"]:
            feature["properties"] = {names.get(name, name): value for name, value in feature["properties"].items()}
        if not (self._frames and _has("geopandas")):
            return outlines
        import geopandas

        return geopandas.GeoDataFrame.from_features(outlines["features"], crs="EPSG:4326")

    def tables(self) -> List[Dict[str, Any]]:
        """The whole tables, with the scopes that each needs and the meaning of its columns."""
        return self.get("/v1/tables")["tables"]

    def table(self, name: str) -> Rows:
        """A whole table, such as ``table("risk_lgas")``: all months of all areas, in one request.

        It is read as Parquet if pyarrow is installed, else as CSV. Codes are text. A missing value is NaN (None without
        pandas), unlike the code ``NA``.
        """
        if self._frames and _has("pyarrow"):
            import pandas

            return pandas.read_parquet(io.BytesIO(self._transport.get(f"/v1/tables/{name}.parquet", {})))
        text = self._transport.get(f"/v1/tables/{name}.csv", {}).decode("utf-8")
        if not self._frames:
            return [{column: _value(column, cell) for column, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]
        import pandas

        codes = {column: str for column in next(csv.reader(io.StringIO(text))) if _is_text(column)}
        return pandas.read_csv(io.StringIO(text), dtype=codes, keep_default_na=False, na_values=[""])

    def download(self, name: str, path: Union[str, Path], format: str = "parquet") -> Path:
        """Writes a whole table, ``parquet`` or ``csv``, to ``path``; if the download fails, no file is written."""
        if format not in ("parquet", "csv"):
            raise ValueError(f"format is {format!r}, expected 'parquet' or 'csv'")
        self._transport.download(f"/v1/tables/{name}.{format}", Path(path))
        return Path(path)

    def match(
        self, rows: Rows, *, lga: str = "lga", state: Optional[str] = "state", code: Optional[str] = None
    ) -> Tuple[Rows, Rows]:
        """Finds the area of each row of your own table.

        Names are compared without case, accents and punctuation, and within their upper-level area, since areas of
        several may have the same name.

        :param rows: a data frame or dicts
        :param lga: column with the area's name
        :param state: column with the name or code of its upper-level area; None if there is none, which leaves
            repeated names unmatched
        :param code: column with the area's code, instead of names
        :returns: matched rows with ``lga_code`` and ``state_code``, and unmatched rows with the reason in ``why``
        """
        is_frame = hasattr(rows, "to_dict")
        matched, unmatched = match(
            rows.to_dict("records") if is_frame else rows, self.get("/v1/places"), lga, state, code
        )
        if not is_frame:
            return matched, unmatched
        import pandas

        columns = list(rows.columns)
        places = columns + [name for name in ("lga_code", "state_code") if name not in columns]
        return pandas.DataFrame(matched, columns=places), pandas.DataFrame(unmatched, columns=[*columns, "why"])

    def _rows(self, rows: List[Dict[str, Any]]) -> Rows:
        if not self._frames:
            return rows
        import pandas

        return pandas.DataFrame(rows)


def _flat(report: Dict[str, Any], of: str = "lgas") -> List[Dict[str, Any]]:
    """A report's records, each with the report's common fields."""
    common = {name: value for name, value in report.items() if name != of}
    return [{**common, **record} for record in report[of]]


def _is_text(column: str) -> bool:
    """Whether a column is text although it may look like numbers."""
    return column.endswith("code") or column in ("period", "lga", "state")


def _value(column: str, cell: str) -> Any:
    """The value of a CSV cell, for reading without pandas."""
    if cell == "":
        return None
    if _is_text(column):
        return cell
    if cell in ("true", "false"):
        return cell == "true"
    try:
        return int(cell) if re.fullmatch(r"-?[0-9]+", cell) else float(cell)
    except ValueError:
        return cell
