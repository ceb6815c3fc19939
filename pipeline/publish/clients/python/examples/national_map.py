"""A map of the nation's risk in one month, as SVG: python national_map.py BASE_URL OUT.svg [YYYY-MM]

Two requests: scores and outlines. The key comes from MALARIA_API_KEY. With geopandas and matplotlib the same map is
``client.boundaries().merge(client.risk(), on="lga_code").plot("score", legend=True)``.
"""

import sys
from html import escape

from malaria_risk import MalariaRisk

COLOURS = {"very_low": "#ffffcc", "low": "#fed976", "moderate": "#fd8d3c", "high": "#e31a1c", "very_high": "#800026"}
WIDTH = 900


def svg(outlines: dict, rows: list, version: str) -> str:
    """A choropleth by level; an area without a score stays grey."""
    by_code = {row["lga_code"]: row for row in rows}
    areas = []
    for feature in outlines["features"]:
        geometry = feature["geometry"]
        polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
        areas.append((feature["properties"], [ring for polygon in polygons for ring in polygon]))
    points = [point for _, rings in areas for ring in rings for point in ring]
    west, east = min(x for x, _ in points), max(x for x, _ in points)
    south, north = min(y for _, y in points), max(y for _, y in points)
    scale = WIDTH / (east - west)
    paths = []
    for place, rings in areas:
        lines = ("M" + "L".join(f"{(x - west) * scale:.1f},{(north - y) * scale:.1f}" for x, y in ring) + "Z" for ring in rings)
        row = by_code.get(place["lga_code"])
        fill = COLOURS.get(row["level"], "#bbb") if row else "#bbb"
        about = f"{row['score']} ({row['score_low']}-{row['score_high']}), {row['level']}" if row else "no score"
        title = escape(f"{place['lga']}, {place['state_code']}: {about}")
        paths.append(f'<path d="{"".join(lines)}" fill="{fill}" fill-rule="evenodd" stroke="#fff" stroke-width=".3"><title>{title}</title></path>')
    key = "".join(
        f'<rect x="{110 * i}" y="8" width="14" height="14" fill="{colour}" stroke="#999"/><text x="{110 * i + 20}" y="20">{level}</text>'
        for i, (level, colour) in enumerate(COLOURS.items())
    )
    height = (north - south) * scale
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 {WIDTH + 20} {height + 70:.0f}" font-family="sans-serif" font-size="14">'
        f'{"".join(paths)}<g transform="translate(0 {height + 10:.1f})">{key}'
        f'<text y="44">{escape(rows[0]["period"])}, {escape(version)}</text></g></svg>\n'
    )


if __name__ == "__main__":
    base, out, *month = sys.argv[1:]
    client = MalariaRisk(base, records=True)
    scores = client.risk(*month)
    with open(out, "w", encoding="utf-8") as file:
        file.write(svg(client.boundaries(), scores, client.model_version or ""))
    print(f"{len(scores)} areas, {scores[0]['period']}, {client.model_version}, {client.requests} requests: {out}")
