"""Tells every LGA whose level rose against a year ago, news told from revisions: python alert.py BASE_URL FOLDER

One request, for the whole table; 304 and no bytes if nothing has changed. FOLDER keeps what the service last said, so
that a rise which a new model version brings is not taken for news:

    news      a month that was not there the last time, higher than the year before as both versions tell it
    revision  the rise is there because a new model version tells an earlier month otherwise
    known     was told the last time too
"""

import sys
from pathlib import Path

import pandas

from malaria_risk import MalariaRisk

LEVELS = ["very_low", "low", "moderate", "high", "very_high"]


def ranks(table: pandas.DataFrame) -> pandas.Series:
    """Place of the level in LEVELS by LGA and month."""
    return table.set_index(["lga_code", "period"])["level"].map(LEVELS.index)


def rises(now: pandas.DataFrame, version: str, before: "pandas.DataFrame | None", before_version: str) -> pandas.DataFrame:
    """Every LGA of the latest month above its level a year ago, with the cause.

    :param now: the table risk_lgas
    :param before: the same table as it was the last time, None the first time
    """
    latest = now["period"].max()
    year_ago = str(pandas.Period(latest, "M") - 12)
    told = ranks(now)
    rows = now[now["period"] == latest].copy()
    rank = rows["level"].map(LEVELS.index)
    then = rows["lga_code"].map(lambda code: told.get((code, year_ago)))
    rows["level_year_ago"] = then.map(lambda at: None if pandas.isna(at) else LEVELS[int(at)])
    rows, rank, then = rows[rank > then], rank[rank > then], then[rank > then]
    last = None if before is None else ranks(before)

    def cause(code: str, rank_now: int) -> str:
        if last is None:
            return "first run"
        then_told, now_told = last.get((code, year_ago)), last.get((code, latest))
        if now_told is not None and then_told is not None and now_told > then_told:
            return "known"
        is_new_month = now_told is None
        if version == before_version or (is_new_month and (then_told is None or rank_now > then_told)):
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
    print(f"{len(found)} LGAs rose, {version}, {client.requests} requests", file=sys.stderr)
    table[["lga_code", "period", "level"]].to_csv(kept, index=False)
    kept_version.write_text(version)
