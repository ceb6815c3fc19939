# The R client against running proxies; r.test.ts starts them and puts their addresses into the environment.
library(malariarisk)

at <- function(name) Sys.getenv(name)
client <- function(url = at("URL"), key = at("KEY"), ...) malaria_client(url, key, ..., timeout = 20)
faulty <- function(fault, ...) client(paste0(at("GATEWAY"), "/", fault), ...)

checks <- 0
check <- function(what, ...) {
  checks <<- checks + 1
  ok <- all.equal(...)
  if (!isTRUE(ok)) stop(what, ": ", paste(ok, collapse = "; "), call. = FALSE)
}
fails <- function(kind, code, work) {
  error <- tryCatch({ work; NULL }, error = identity)
  check(paste(kind, "is raised"), inherits(error, kind), TRUE)
  if (!is.null(code)) check(paste(kind, "has its code"), error$code, code)
  invisible(error)
}
at_once <- function(work) {
  start <- proc.time()[["elapsed"]]
  work
  check("without waiting", proc.time()[["elapsed"]] - start < 5, TRUE)
}

# Reading, one request each
reader <- client()
months <- periods(reader)
check("version", client_version(reader), months$model_version)
for (one in list(
  list(function() risk(reader), 4L), list(function() forecasts(reader), 16L),
  list(function() risk(reader, months$last_estimated, state = "AB"), 2L),
  list(function() forecasts(reader, 2, state = "AB"), 4L), list(function() places(reader), 4L)
)) {
  before <- client_requests(reader)
  found <- one[[1]]()
  check("rows", nrow(found), one[[2]])
  check("one request", client_requests(reader) - before, 1L)
  check("code", "lga_code" %in% names(found), TRUE)
}
by_lga <- series(reader, lga = "NG001001")
check("last month", tail(by_lga$period, 1), months$last_forecast)
check("as many months", nrow(by_lga), nrow(series(reader, state = "AB")))
whole <- read_table(reader, "risk_lgas")
check("all rows", nrow(whole), 4L * (nrow(by_lga) - 4L))
check("types", c(class(whole$score), class(whole$is_urban), class(whole$lga_code)), c("numeric", "logical", "character"))
check("tables", "risk_lgas" %in% tables(reader)$table, TRUE)
outlines <- boundaries(reader)
if (requireNamespace("sf", quietly = TRUE)) {
  check("outlines", outlines$lga_code, c("NG001001", "NG001002", "NG002001", "NG002002"))
  check("system", sf::st_crs(outlines)$epsg, 4326L)
  check("states", names(boundaries(reader, "states"))[1:2], c("state_code", "state"))
} else {
  check("outlines", outlines$features[[1]]$properties$lga_code, "NG001001")
}
folder <- tempfile("folder")
dir.create(folder)
file <- download_table(reader, "risk_lgas", file.path(folder, "risk.parquet"))
check("Parquet", rawToChar(readBin(file, "raw", 4)), "PAR1")
fails("error", NULL, download_table(faulty("short"), "x", file.path(folder, "x.csv"), "csv"))
check("no incomplete file", list.files(folder, all.files = TRUE, no.. = TRUE), "risk.parquet")
fails("error", NULL, read_table(faulty("short"), "x"))
missing <- read_table(faulty("na"), "x")
check("Nasarawa", list(missing$lga_code, missing$state_code, missing$lga, missing$score),
      list(c("007", "008"), c("NA", "BE"), c("Obi", "NA"), c(NA, 0.5)))
check("only Nasarawa", malariarisk:::frame(list(list(s = "NA"))), data.frame(s = "NA"))

# Joins
own <- data.frame(state = c("Nasarawa State", "NA", "benue", "Benue", "Utopia", NA, "Benue"),
                  lga = c("OBI", "obi ", "Ado Ekiti", "Gboko", "Obi", "Obi", "igumale"))
found <- match_places(faulty("places"), own)
check("matched", found$matched$lga_code, c("NG026011", "NG026011", "NG007003", "NG007003"))
check("unmatched", sub(";.*", "", found$unmatched$why),
      c("no areas of BE are named 'Gboko'", "no upper-level area is named 'Utopia'", "state is empty"))
alone <- match_places(faulty("places"), own[c(1, 3), ], state = NULL)
check("by name alone", alone$matched$lga_code, "NG007003")
check("repeated", alone$unmatched$why, "'OBI' is the name of areas in BE, NA: give state too")
by_code <- match_places(faulty("places"), data.frame(c = c("NG007015", "NG9")), code = "c")
check("by code", list(by_code$matched$state_code, by_code$unmatched$c), list("BE", "NG9"))
fails("error", NULL, match_places(faulty("places"), data.frame(x = 1)))

# Errors
refused <- fails("malaria_invalid_key", "INVALID_KEY", periods(client(key = "wrong")))
check("status", refused$status, 401L)
check("explained", nzchar(c(refused$title, refused$detail, refused$request_id)), rep(TRUE, 3))
check("no key in the message", grepl("wrong", conditionMessage(refused)), FALSE)
check("no key printed", any(grepl(at("KEY"), capture.output(print(reader)), fixed = TRUE)), FALSE)
limited <- client(key = at("KEY_FORECASTS"))
check("its scope", nrow(forecasts(limited, 1)), 4L)
fails("malaria_scope_required", "SCOPE_REQUIRED", risk(limited))
fails("malaria_service_error", "UNKNOWN_STATE", risk(reader, state = "ab"))
fails("malaria_service_error", "UNKNOWN_LGA", series(reader, lga = "NG1&lga=NG001001"))
fails("malaria_service_error", "INVALID_PERIOD", risk(reader, "2021-13"))
fails("malaria_service_error", "PERIOD_NOT_AVAILABLE", risk(reader, "1990-01"))
fails("malaria_service_error", "INVALID_MONTHS", forecasts(reader, 5))
fails("malaria_service_error", "NOT_FOUND", read_table(reader, "nothing"))
fails("malaria_unavailable", "HTTP_502", periods(faulty("html")))
fails("malaria_refused", "HTTP_302", periods(faulty("moved")))
fails("error", NULL, series(reader))
fails("error", NULL, client(key = " "))
fails("error", NULL, client("ftp://x"))

# Waiting
for (fault in c("limited-once", "busy-once")) {
  start <- proc.time()[["elapsed"]]
  check("answer", is.character(periods(faulty(fault))$model_version), TRUE)
  check("waited", proc.time()[["elapsed"]] - start >= 1, TRUE)
}
for (fault in c("limited-long", "overflow", "negative")) {
  at_once(fails("malaria_rate_limited", "RATE_LIMITED", periods(faulty(fault))))
}
fails("malaria_rate_limited", "RATE_LIMITED", periods(faulty("zeros", max_wait = 2)))
minute <- client(at("MINUTE_URL"), at("MINUTE_KEY"), max_wait = 1)
invisible(periods(minute))
at_once(fails("malaria_rate_limited", "RATE_LIMITED", periods(minute)))
spent <- client(at("SPENT_URL"), at("SPENT_KEY"), max_wait = 1e9)
invisible(periods(spent))
at_once(fails("malaria_allowance_exhausted", "ALLOWANCE_EXHAUSTED", periods(spent)))
at_once(fails("malaria_allowance_exhausted", "ALLOWANCE_EXHAUSTED", periods(faulty("spent-short"))))

# Caching
reader <- faulty("pass")
check("the same", risk(reader), risk(reader))
folder <- tempfile("cache")
first <- risk(client(cache_dir = folder))
check("across sessions", risk(client(cache_dir = folder)), first)
file <- list.files(folder, full.names = TRUE)
check("one file", length(file), 1L)
writeBin(readBin(file, "raw", file.size(file) - 9), file)
check("damaged", risk(client(cache_dir = folder)), first)
fails("malaria_invalid_key", "INVALID_KEY", risk(client(key = "wrong", cache_dir = folder)))

# Versions
reader <- faulty("kept")
version <- periods(reader)$model_version
check("kept", nrow(risk(reader)) > 0, TRUE)
check("still kept", periods(reader)$model_version, version)
check("listed", get_json(reader, "/v1/versions")$current, version)
check("kept table", nrow(read_table(reader, "risk_lgas")) > 0, TRUE)
check("requests", client_requests(reader), 6L)
reader <- faulty("next-version")
invisible(periods(reader))
error <- fails("malaria_version_changed", NULL, risk(reader))
check("found", error$found, "another-version")
fails("malaria_version_changed", NULL, periods(reader))
client_restart(reader)
rows <- risk(reader)
check("restarted", client_version(reader), "another-version")
fails("malaria_version_changed", NULL, periods(client(model_version = "earlier")))
cat(checks, "checks hold\n")
