# Tells every LGA whose level rose against a year ago, news told from revisions: Rscript alert.R BASE_URL FOLDER
#
# One request, for the whole table; 304 and no bytes if nothing has changed. FOLDER keeps what the service last said, so
# that a rise which a new model version brings is not taken for news:
#
#   news      a month that was not there the last time, higher than the year before as both versions tell it
#   revision  the rise is there because a new model version tells an earlier month otherwise
#   known     was told the last time too

levels_up <- c("very_low", "low", "moderate", "high", "very_high")

# Every LGA of the latest month above its level a year ago, with the cause.
# now, before: the table risk_lgas, and as it was the last time or NULL.
rises <- function(now, version, before = NULL, before_version = "") {
  latest <- max(now$period)
  year_ago <- sprintf("%04d%s", as.integer(substr(latest, 1, 4)) - 1L, substr(latest, 5, 7))
  rank_in <- function(table, codes, period) {
    match(table$level[match(paste(codes, period), paste(table$lga_code, table$period))], levels_up)
  }
  rows <- now[now$period == latest, c("lga_code", "lga", "state_code", "period", "level")]
  level <- match(rows$level, levels_up)
  then <- rank_in(now, rows$lga_code, year_ago)
  rows$level_year_ago <- levels_up[then]
  rose <- !is.na(then) & level > then
  if (is.null(before)) {
    cause <- rep("first run", nrow(rows))
  } else {
    last_level <- rank_in(before, rows$lga_code, latest)
    last_then <- rank_in(before, rows$lga_code, year_ago)
    known <- !is.na(last_level) & !is.na(last_then) & last_level > last_then
    news <- version == before_version | (is.na(last_level) & (is.na(last_then) | level > last_then))
    cause <- ifelse(known, "known", ifelse(news, "news", "revision"))
  }
  rows$cause <- cause
  rows[rose, ]
}

given <- commandArgs(trailingOnly = TRUE)
if (length(given) == 2) {
  client <- malariarisk::malaria_client(given[1], cache_dir = file.path(given[2], "cache"))
  now <- malariarisk::read_table(client, "risk_lgas")
  version <- malariarisk::client_version(client)
  kept <- file.path(given[2], "last.rds")
  last <- if (file.exists(kept)) readRDS(kept)
  found <- rises(now, version, last$table, if (is.null(last)) "" else last$version)
  write.csv(found, row.names = FALSE)
  cat(sprintf("%d LGAs rose, %s, %d requests\n", nrow(found), version, malariarisk::client_requests(client)))
  saveRDS(list(version = version, table = now[c("lga_code", "period", "level")]), kept)
}
