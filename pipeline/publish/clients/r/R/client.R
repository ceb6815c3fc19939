# A client of the Malaria Risk Data Service. Documented in man/malaria_client.Rd.

# Longest wait that the service may ask for, as its minute may end a second late, and how often the client waits.
max_wait_seconds <- 61
max_waits <- 3

malaria_client <- function(base_url, key = Sys.getenv("MALARIA_API_KEY"), model_version = NULL) {
  request <- httr2::request(base_url)
  request <- httr2::req_auth_bearer_token(request, trimws(key))
  request <- httr2::req_user_agent(request, "malaria-risk-r/0.2.0")
  # A redirect is an error, and so is an answer that stops for half a minute.
  request <- httr2::req_options(request, followlocation = FALSE, low_speed_limit = 1, low_speed_time = 30)
  # At least a second, so that a wait of zero seconds causes no storm of requests; and a second if a connection fails.
  request <- httr2::req_retry(request, max_tries = max_waits + 1, is_transient = is_short_wait,
                              after = function(response) max(1, httr2::resp_retry_after(response)),
                              backoff = function(attempt) 1)
  request <- httr2::req_error(request, is_error = function(response) httr2::resp_status(response) != 200,
                              body = error_message)
  if (is.null(model_version)) {
    periods <- httr2::req_perform(httr2::req_url_path_append(request, "v1/periods"))
    model_version <- httr2::resp_body_json(periods)$model_version
  }
  list(request = request, model_version = model_version)
}

get_answer <- function(client, path, ...) {
  if (!startsWith(path, "/v1/versions")) {
    path <- sub("/v1/", paste0("/v1/versions/", client$model_version, "/"), path, fixed = TRUE)
  }
  httr2::req_perform(httr2::req_url_query(httr2::req_url_path_append(client$request, path), ...))
}

read_table <- function(client, name) {
  text <- httr2::resp_body_string(get_answer(client, paste0("/v1/tables/", name, ".csv")))
  tables <- httr2::resp_body_json(get_answer(client, "/v1/tables"), simplifyVector = TRUE)$tables
  columns <- tables$columns[[match(name, tables$table)]]
  # Codes are text although they may look like numbers, and "NA" can be a code.
  kinds <- c(VARCHAR = "character", DOUBLE = "numeric", INTEGER = "integer", BIGINT = "numeric", BOOLEAN = "logical")
  classes <- stats::setNames(kinds[columns$type], columns$column)
  utils::read.csv(text = text, na.strings = "", colClasses = classes, check.names = FALSE)
}

risk_map <- function(client, period = NULL) {
  outlines <- sf::st_read(httr2::resp_body_string(get_answer(client, "/v1/boundaries/nation")), quiet = TRUE)
  risk <- httr2::resp_body_json(get_answer(client, "/v1/risk/nation", period = period), simplifyVector = TRUE)
  codes <- stats::setNames(outlines["lgaCode"], c("lga_code", "geometry"))
  merge(codes, cbind(risk$lgas, period = risk$period), by = "lga_code", all.x = TRUE)
}

with_codes <- function(client, rows, lga = "lga", state = "state") {
  places <- httr2::resp_body_json(get_answer(client, "/v1/places"))
  states <- do.call(rbind, lapply(places$states, function(place) {
    names <- c(place$state_code, place$state, place$iso_code, place$pcode, place$aliases)
    data.frame(code = place$state_code, name = normalize_names(names))
  }))
  lgas <- do.call(rbind, lapply(places$lgas, function(place) {
    names <- normalize_names(c(place$lga, place$aliases))
    unique(data.frame(code = place$lga_code, name = paste(place$state_code, names)))
  }))
  lgas <- lgas[!lgas$name %in% lgas$name[duplicated(lgas$name)], ]
  state_codes <- states$code[match(normalize_names(rows[[state]]), states$name)]
  rows$lga_code <- lgas$code[match(paste(state_codes, normalize_names(rows[[lga]])), lgas$name)]
  # Without this, an unknown state would be taken for the state whose code is NA.
  rows$lga_code[is.na(state_codes)] <- NA
  rows
}

# Whether the service asks to wait, and not for too long. An exhausted monthly allowance is too long.
is_short_wait <- function(response) {
  httr2::resp_status(response) %in% c(429, 503) && isTRUE(httr2::resp_retry_after(response) <= max_wait_seconds)
}

# What the service says about an error, as part of the condition's message.
error_message <- function(response) {
  is_problem <- identical(httr2::resp_content_type(response), "application/problem+json")
  if (!is_problem) return("The answer did not come from the service.")
  problem <- httr2::resp_body_json(response, check_type = FALSE)
  paste0(problem$code, ": ", problem$title, ". ", problem$detail, " (request ", problem$request_id, ")")
}

# Names without case, accents, spaces and punctuation, in any locale: "Saint-Elie" equals "saint elie".
normalize_names <- function(names) {
  gsub("[^a-z0-9]", "", tolower(stringi::stri_trans_general(as.character(names), "Any-Latin; Latin-ASCII")))
}
