# A map of the nation's risk in one month: Rscript national_map.R BASE_URL OUT.pdf [YYYY-MM]
# Two requests: scores and outlines. The key comes from MALARIA_API_KEY.
library(malariarisk)

given <- commandArgs(trailingOnly = TRUE)
client <- malaria_client(given[1])
scores <- risk(client, if (length(given) > 2) given[3])
outlines <- boundaries(client)

colours <- c(very_low = "#ffffcc", low = "#fed976", moderate = "#fd8d3c", high = "#e31a1c", very_high = "#800026")
colour_of <- function(codes) {
  found <- colours[scores$level[match(codes, scores$lga_code)]]
  ifelse(is.na(found), "#bbbbbb", found)
}
pdf(given[2], width = 9, height = 8)
if (inherits(outlines, "sf")) {
  plot(sf::st_geometry(outlines), col = colour_of(outlines$lga_code), border = "white", lwd = 0.2)
} else {
  rings <- function(geometry) if (geometry$type == "Polygon") geometry$coordinates else unlist(geometry$coordinates, FALSE)
  # The rings of an area as one path, separated by NA, so that holes stay open.
  path <- function(feature) {
    parts <- lapply(rings(feature$geometry), function(ring) rbind(do.call(rbind, lapply(ring, unlist)), NA))
    points <- do.call(rbind, parts)
    points[-nrow(points), ]
  }
  paths <- lapply(outlines$features, path)
  all <- do.call(rbind, paths)
  plot(range(all[, 1], na.rm = TRUE), range(all[, 2], na.rm = TRUE), type = "n", asp = 1, axes = FALSE, ann = FALSE)
  codes <- vapply(outlines$features, function(feature) feature$properties$lga_code, "")
  fills <- colour_of(codes)
  for (i in seq_along(paths)) polypath(paths[[i]], col = fills[i], border = "white", lwd = 0.2, rule = "evenodd")
}
legend("bottomright", names(colours), fill = colours, bty = "n")
title(sprintf("%s, %s", scores$period[1], client_version(client)))
invisible(dev.off())
cat(sprintf("%d areas, %s, %s, %d requests: %s\n", nrow(scores), scores$period[1], client_version(client),
            client_requests(client), given[2]))
