# A map of every area's score in one month: Rscript national_map.R BASE_URL OUT.pdf [YYYY-MM]
# The key comes from MALARIA_API_KEY. Needs sf.
library(malariarisk)

arguments <- commandArgs(trailingOnly = TRUE)
client <- malaria_client(arguments[1])
areas <- risk_map(client, if (length(arguments) > 2) arguments[3])
period <- max(areas$period, na.rm = TRUE)
pdf(arguments[2], width = 9, height = 8)
made_up <- if (startsWith(client$model_version, "synthetic")) "MADE UP: " else ""
title <- paste0(made_up, "malaria risk score (0 to 1) in ", period, ", ", client$model_version)
plot(areas["score"], main = title, border = "white", lwd = 0.2)
invisible(dev.off())
cat(sprintf("%d areas, %s, %s: %s\n", sum(!is.na(areas$score)), period, client$model_version, arguments[2]))
