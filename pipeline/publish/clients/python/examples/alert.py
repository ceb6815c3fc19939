"""Lists every area whose level is higher than a year ago, with news and revisions: python alert.py BASE_URL FILE.csv

FILE.csv keeps the levels of the last run, so that a rise caused by a new model version does not appear as news:

    news      a month that was not available in the last run, higher than the year before in both versions
    revision  a rise that exists only because a new model version changed an earlier month
    known     listed in the last run too
"""

import sys
from pathlib import Path
from typing import Optional

import pandas

from malaria_risk import MalariaRisk

LEVELS = ["very_low", "low", "moderate", "high", "very_high"]


def ranks(table: pandas.DataFrame, period: str) -> pandas.Series:
    """Index of the level in LEVELS, by area."""
    return table[table["period"] == period].set_index("lga_code")["level"].map(LEVELS.index)


def rises(now: pandas.DataFrame, before: Optional[pandas.DataFrame]) -> pandas.DataFrame:
    """Every area of the latest month above its level of a year ago, with the cause.

    :param now: the table risk_lgas
    :param before: the same table in the last run, None in the first run
    """
    latest = now["period"].max()
    year_ago = str(pandas.Period(latest, "M") - 12)
    rank = ranks(now, latest)
    rank_year_ago = ranks(now, year_ago).reindex(rank.index)
    areas = now[now["period"] == latest].set_index("lga_code")[rank > rank_year_ago]
    rises_found = areas[["lga", "state_code", "period", "level"]].assign(cause="first run")
    if before is not None:
        rank_last_run = ranks(before, latest).reindex(rises_found.index)
        year_ago_last_run = ranks(before, year_ago).reindex(rises_found.index)
        rises_found["cause"] = "revision"
        rises_found.loc[rank_last_run.isna() & ~(rank[rises_found.index] <= year_ago_last_run), "cause"] = "news"
        rises_found.loc[rank_last_run > year_ago_last_run, "cause"] = "known"
    return rises_found.sort_values(["cause", "lga_code"])


if __name__ == "__main__":
    base, file = sys.argv[1], Path(sys.argv[2])
    client = MalariaRisk(base)
    table = client.table("risk_lgas")
    before = pandas.read_csv(file, dtype=str, keep_default_na=False) if file.exists() else None
    rises_found = rises(table, before)
    print(rises_found.to_csv(), end="")
    print(f"{len(rises_found)} areas rose, {client.model_version}", file=sys.stderr)
    table[["lga_code", "period", "level"]].to_csv(file, index=False)
