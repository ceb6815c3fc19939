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
axes = areas.plot("score", cmap="YlOrRd", legend=True, figsize=(9, 8), missing_kwds={"color": "lightgrey"})
axes.set_axis_off()
axes.set_title(f"{areas['period'].max()}, {client.model_version}")
axes.figure.savefig(out)
print(f"{areas['score'].count()} areas, {areas['period'].max()}, {client.model_version}: {out}")
