"""Lists every area whose level is higher than a year ago, with news and revisions: python alert.py BASE_URL FOLDER

One request for the whole table; a 304 without a body if nothing has changed. FOLDER keeps the levels of the last run,
so that a rise caused by a new model version does not appear as news:

    news      a month that was not available in the last run, higher than the year before in both versions
    revision  a rise that exists only because a new model version changed an earlier month
    known     listed in the last run too
"""

import sys
from pathlib import Path

import pandas

from malaria_risk import MalariaRisk

LEVELS = ["very_low", "low", "moderate", "high", "very_high"]


def ranks(table: pandas.DataFrame) -> pandas.Series:
    """Index of the level in LEVELS by area and month."""
    return table.set_index(["lga_code", "period"])["level"].map(LEVELS.index)


def rises(now: pandas.DataFrame, version: str, before: "pandas.DataFrame | None", before_version: str) -> pandas.DataFrame:
    """Every area of the latest month above its level of a year ago, with the cause.

    :param now: the table risk_lgas
    :param before: the same table in the last run, None in the first run
    """
    latest = now["period"].max()
    year_ago = str(pandas.Period(latest, "M") - 12)
    current = ranks(now)
    rows = now[now["period"] == latest].copy()
    rank = rows["level"].map(LEVELS.index)
    then = rows["lga_code"].map(lambda code: current.get((code, year_ago)))
    rows["level_year_ago"] = then.map(lambda at: None if pandas.isna(at) else LEVELS[int(at)])
    rows, rank, then = rows[rank > then], rank[rank > then], then[rank > then]
    last = None if before is None else ranks(before)

    def cause(code: str, rank_now: int) -> str:
        if last is None:
            return "first run"
        last_then, last_now = last.get((code, year_ago)), last.get((code, latest))
        if last_now is not None and last_then is not None and last_now > last_then:
            return "known"
        is_new_month = last_now is None
        if version == before_version or (is_new_month and (last_then is None or rank_now > last_then)):
            return "news"
        return "revision"

    rows["cause"] = [cause(code, at) for code, at in zip(rows["lga_code"], rank)]
    columns = ["lga_code", "lga", "state_code", "period", "level_year_ago", "level", "cause"]
    return rows[columns].sort_values(["cause", "lga_code"])


if __name__ == "__main__":
    base, folder = sys.argv[1], Path(sys.argv[2])
    client = MalariaRisk(base, cache_dir=folder / "cache")
    table = client.table("risk_lgas")
    kept, kept_version = folder / "last.csv", folder / "last-version.txt"
    read = {"keep_default_na": False, "na_values": [""], "dtype": {"lga_code": str}}
    before = pandas.read_csv(kept, **read) if kept.exists() else None
    version = client.model_version or ""
    found = rises(table, version, before, kept_version.read_text() if kept_version.exists() else "")
    print(found.to_csv(index=False), end="")
    print(f"{len(found)} areas rose, {version}, {client.requests} requests", file=sys.stderr)
    table[["lga_code", "period", "level"]].to_csv(kept, index=False)
    kept_version.write_text(version)
