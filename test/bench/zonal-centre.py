"""Zonal sums by the usual method: each cell counts entirely to the polygon that contains its centre (GDAL's rasterize).

Usage: zonal-centre.py POLYGONS VALUES WEIGHTS OUT.csv. Works on bands of rows, because a raster may exceed memory.
"""
import csv
import json
import sys

import numpy as np
import rasterio.features
from rasterio.windows import Window
from rasterio.windows import transform as window_transform

BAND_ROWS = 256

polygons, values, weights, out = sys.argv[1:]
features = json.load(open(polygons))["features"]
shapes = [(feature["geometry"], index + 1) for index, feature in enumerate(features)]
bounds = [rasterio.features.bounds(geometry) for geometry, _ in shapes]
sums = np.zeros((4, len(shapes) + 1))
with rasterio.open(values) as value_file, rasterio.open(weights) as weight_file:
    for row in range(0, value_file.height, BAND_ROWS):
        window = Window(0, row, value_file.width, min(BAND_ROWS, value_file.height - row))
        place = window_transform(window, value_file.transform)
        north, south = place.f, place.f + place.e * window.height
        met = [shape for shape, (_, low, _, high) in zip(shapes, bounds) if low < north and high > south]
        if not met:
            continue
        zones = rasterio.features.rasterize(met, (window.height, window.width), transform=place, dtype="int32").ravel()
        v = value_file.read(1, window=window).ravel().astype("f8")
        w = weight_file.read(1, window=window).ravel().astype("f8")
        for figure, cells in enumerate((None, v, w, w * v)):
            sums[figure] += np.bincount(zones, cells, len(shapes) + 1)
count, total, weight, weighted = sums[:, 1:]
with open(out, "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(["id", "count", "sum", "mean", "weight_sum", "weighted_mean"])
    for i, feature in enumerate(features):
        figures = [count[i], total[i], total[i] / count[i], weight[i], weighted[i] / weight[i]]
        table.writerow([feature["properties"]["id"], *figures])
