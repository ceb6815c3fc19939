"""A map of every area's score in one month: python national_map.py BASE_URL OUT.svg [YYYY-MM]

The key comes from MALARIA_API_KEY. Needs geopandas and matplotlib.
"""

import sys

import matplotlib

matplotlib.use("Agg")

from malaria_risk import MalariaRisk

base, out, *month = sys.argv[1:]
client = MalariaRisk(base)
areas = client.map(*month)
look = {"cmap": "YlOrRd", "figsize": (9, 8), "missing_kwds": {"color": "lightgrey"}}
axes = areas.plot("score", legend=True, legend_kwds={"label": "malaria risk score, 0 to 1 (grey: none)"}, **look)
axes.set_axis_off()
made_up = "MADE UP: " if client.model_version.startswith("synthetic") else ""
axes.set_title(f"{made_up}malaria risk in {areas['period'].max()}, {client.model_version}")
axes.figure.savefig(out)
print(f"{areas['score'].count()} areas, {areas['period'].max()}, {client.model_version}: {out}")
