# Joins risk to your own figures: Rscript join.R BASE_URL OWN.csv OUT.csv
#
# OWN.csv has either a column lga_code, or state and lga (names, since several places may have the same area name). Rows
# that match no area, and areas that have no row, are reported and never dropped silently. Two requests.
library(malariarisk)

given <- commandArgs(trailingOnly = TRUE)
# NA can be a code.
own <- read.csv(given[2], na.strings = "", encoding = "UTF-8")
client <- malaria_client(given[1])
found <- match_places(client, own, code = if ("lga_code" %in% names(own)) "lga_code")
scores <- risk(client)
columns <- c("lga_code", "period", "score", "score_low", "score_high", "level")
joined <- merge(found$matched, scores[columns], by = "lga_code", all.x = TRUE)
write.csv(joined, given[3], row.names = FALSE, na = "")
codes <- found$matched$lga_code
cat(sprintf("%d rows joined, %s, %d requests: %s\n", nrow(joined), client_version(client), client_requests(client), given[3]))
cat(sprintf("%d rows matched no area\n", nrow(found$unmatched)), sprintf("  %s\n", found$unmatched$why), sep = "")
cat(sprintf("%d rows share an area with another\n", sum(codes %in% codes[duplicated(codes)])))
cat(sprintf("%d areas without a row\n", length(setdiff(scores$lga_code, codes))))
