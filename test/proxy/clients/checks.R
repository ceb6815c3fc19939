# The R client against running proxies; r.test.ts starts them and puts their addresses into the environment.
library(malariarisk)

at <- function(name) Sys.getenv(name)
client <- function(url = at("URL"), key = at("KEY"), ...) malaria_client(url, key, ...)
# A client whose first request is that for data.
faulty <- function(fault) client(paste0(at("GATEWAY"), "/", fault), model_version = "v")
json <- function(...) httr2::resp_body_json(get_answer(...), simplifyVector = TRUE)

checks <- 0
check <- function(what, ...) {
  checks <<- checks + 1
  ok <- all.equal(...)
  if (!isTRUE(ok)) stop(what, ": ", paste(ok, collapse = "; "), call. = FALSE)
}
fails <- function(kind, text, work) {
  error <- tryCatch({ work; NULL }, error = identity)
  check(paste(kind, "is raised"), inherits(error, kind), TRUE)
  check(paste(kind, "explains"), grepl(text, conditionMessage(error)), TRUE)
  invisible(error)
}
seconds <- function(work) {
  start <- proc.time()[["elapsed"]]
  work
  proc.time()[["elapsed"]] - start
}

# Reading
reader <- client()
check("version", reader$model_version, json(reader, "/v1/periods")$model_version)
check("rows", nrow(json(reader, "/v1/risk/lgas", state = "AB")$lgas), 2L)
months <- nrow(json(reader, "/v1/series/lgas", lga = "NG001001")$series)
whole <- read_table(reader, "risk_lgas")
check("all rows", nrow(whole), 4L * (months - 4L))
check("types", c(class(whole$score), class(whole$is_urban), class(whole$lga_code)), c("numeric", "logical", "character"))
missing <- read_table(faulty("na"), "x")
check("columns have the types that the service lists, and NA is a code", as.list(missing),
      list(lga_code = c("007", "008"), state_code = c("NA", "BE"), lga = c("Ado-\u00c9kiti", "NA"),
           round = c("01", "02"), score = c(NA, 0.5)))
areas <- risk_map(reader, "2021-11")
check("outlines", c(nrow(areas), sf::st_crs(areas)$epsg), c(4L, 4326L))
scores <- json(reader, "/v1/risk/nation", period = "2021-11")$lgas
check("with scores", areas$score, scores$score[match(areas$lga_code, scores$lga_code)])
check("of the month", unique(areas$period), "2021-11")
check("no key printed", any(grepl(at("KEY"), capture.output(print(reader)), fixed = TRUE)), FALSE)

# Versions
reader <- client(paste0(at("GATEWAY"), "/pass"))
invisible(get_answer(reader, "/v1/places"))
check("listed", json(reader, "/v1/versions")$current, reader$model_version)
check("named", nrow(read_table(client(model_version = reader$model_version), "places")), 6L)

# Codes
own <- data.frame(state = c("NA", "nasarawa", "NG007", "Benue", "Benue", "Benue", "Utopia", NA),
                  lga = c("OBI", "obi ", "Ado Ekiti", "igumale", "Gboko", "Agatu", "Obi", "Obi"))
check("codes", with_codes(faulty("places"), own)$lga_code, c("NG026011", "NG026011", "NG007003", "NG007003", NA, NA, NA, NA))

# Errors
refused <- fails("httr2_http_401", "INVALID_KEY.*request", client(key = "wrong"))
check("no key in the message", grepl("wrong", conditionMessage(refused)), FALSE)
reader <- client()
fails("httr2_http_403", "SCOPE_REQUIRED", get_answer(client(key = at("KEY_FORECASTS")), "/v1/risk/nation"))
fails("httr2_http_404", "UNKNOWN_LGA", get_answer(reader, "/v1/series/lgas", lga = "NG1&lga=NG001001"))
fails("httr2_http_404", "NOT_FOUND", read_table(reader, "nothing"))
fails("httr2_http_404", "UNKNOWN_VERSION", get_answer(client(model_version = "tiny-1-00000000"), "/v1/places"))
fails("httr2_http_502", "did not come from the service", read_table(faulty("html"), "x"))
fails("httr2_http_302", "did not come from the service", read_table(faulty("moved"), "x"))
fails("error", "", read_table(faulty("short"), "x"))

# Waiting
for (fault in c("limited-once", "busy-once")) {
  check("waited", seconds(client(paste0(at("GATEWAY"), "/", fault))) >= 1, TRUE)
}
spent <- client(at("SPENT_URL"), at("SPENT_KEY"))
check("at once", seconds({
  fails("httr2_http_429", "RATE_LIMITED", get_answer(faulty("limited-long"), "/v1/places"))
  fails("httr2_http_429", "ALLOWANCE_EXHAUSTED", get_answer(spent, "/v1/places"))
}) < 5, TRUE)
fails("httr2_http_429", "RATE_LIMITED", get_answer(faulty("zeros"), "/v1/places"))
cat(checks, "checks hold\n")
