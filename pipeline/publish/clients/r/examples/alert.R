# Lists every area whose level is higher than a year ago, with news and revisions: Rscript alert.R BASE_URL FOLDER
#
# One request for the whole table; a 304 without a body if nothing has changed. FOLDER keeps the levels of the last run,
# so that a rise caused by a new model version does not appear as news:
#
#   news      a month that was not available in the last run, higher than the year before in both versions
#   revision  a rise that exists only because a new model version changed an earlier month
#   known     listed in the last run too

levels_up <- c("very_low", "low", "moderate", "high", "very_high")

# Every area of the latest month above its level of a year ago, with the cause.
# now: the table risk_lgas. before: the same table in the last run, or NULL.
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
  cat(sprintf("%d areas rose, %s, %d requests\n", nrow(found), version, malariarisk::client_requests(client)))
  saveRDS(list(version = version, table = now[c("lga_code", "period", "level")]), kept)
}
