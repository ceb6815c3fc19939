"""Joins risk to your own figures: python join.py BASE_URL OWN.csv OUT.csv

OWN.csv has either a column ``lga_code``, or ``state`` and ``lga`` (names, since several places may have the same area
name). Rows that match no area, and areas that have no row, are reported and never dropped silently. Two requests.
"""

import sys

import pandas

from malaria_risk import MalariaRisk

if __name__ == "__main__":
    base, own, out = sys.argv[1:]
    # NA can be a code.
    table = pandas.read_csv(own, keep_default_na=False, na_values=[""], dtype={"lga_code": str})
    client = MalariaRisk(base)
    if "lga_code" in table:
        matched, unmatched = client.match(table, code="lga_code")
    else:
        matched, unmatched = client.match(table, lga="lga", state="state")
    risk = client.risk()
    twice = matched[matched.duplicated("lga_code", keep=False)]
    joined = matched.merge(risk[["lga_code", "period", "score", "score_low", "score_high", "level"]], on="lga_code", how="left")
    joined.to_csv(out, index=False)
    print(f"{len(joined)} rows joined, {client.model_version}, {client.requests} requests: {out}")
    print(f"{len(unmatched)} rows matched no area")
    for row in unmatched.to_dict("records"):
        print(f"  {row['why']}")
    print(f"{len(twice)} rows share an area with another")
    print(f"{len(set(risk['lga_code']) - set(matched['lga_code']))} areas without a row")
