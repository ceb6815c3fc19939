# Functions that return the service's data as data frames. Documented in man/malaria_client.Rd.

get_json <- function(client, path, ...) {
  # Not simplified: jsonlite would turn a column of the code "NA" alone into missing values.
  jsonlite::fromJSON(text_of(fetch_body(client, path, list(...))), simplifyVector = FALSE)
}

periods <- function(client) get_json(client, "/v1/periods")

risk <- function(client, period = NULL, state = NULL) {
  path <- if (is.null(state)) "/v1/risk/nation" else "/v1/risk/lgas"
  flat(get_json(client, path, state = state, period = period), "lgas")
}

forecasts <- function(client, months = 4, state = NULL) {
  path <- if (is.null(state)) "/v1/forecasts/nation" else "/v1/forecasts/lgas"
  do.call(rbind, lapply(get_json(client, path, state = state, months = months)$forecasts, flat, of = "lgas"))
}

series <- function(client, lga = NULL, state = NULL) {
  if (is.null(lga) == is.null(state)) {
    stop("give either lga or state; every area's history is read_table(client, \"risk_lgas\")", call. = FALSE)
  }
  path <- if (is.null(lga)) "/v1/series/states" else "/v1/series/lgas"
  flat(get_json(client, path, lga = lga, state = state), "series")
}

places <- function(client) {
  found <- get_json(client, "/v1/places")
  states <- frame(found$states)
  lgas <- frame(found$lgas)
  lgas$state <- states$state[match(lgas$state_code, states$state_code)]
  lgas
}

boundaries <- function(client, level = c("lgas", "states")) {
  level <- match.arg(level)
  body <- text_of(fetch_body(client, if (level == "lgas") "/v1/boundaries/nation" else "/v1/boundaries/states"))
  codes <- if (level == "lgas") c(lgaCode = "lga_code", state = "state_code") else c(code = "state_code", name = "state")
  if (requireNamespace("sf", quietly = TRUE)) {
    outlines <- sf::st_read(body, quiet = TRUE, stringsAsFactors = FALSE)
    # `source` belongs to the collection, not to a place.
    outlines <- outlines[setdiff(names(outlines), "source")]
    known <- names(outlines) %in% names(codes)
    names(outlines)[known] <- codes[names(outlines)[known]]
    return(outlines)
  }
  outlines <- jsonlite::fromJSON(body, simplifyVector = FALSE)
  outlines$features <- lapply(outlines$features, function(feature) {
    known <- names(feature$properties) %in% names(codes)
    names(feature$properties)[known] <- codes[names(feature$properties)[known]]
    feature
  })
  outlines
}

tables <- function(client) frame(get_json(client, "/v1/tables")$tables)

read_table <- function(client, name) {
  file <- tempfile("table", fileext = ".csv")
  on.exit(unlink(file))
  writeBin(fetch_body(client, paste0("/v1/tables/", curl::curl_escape(name), ".csv")), file)
  columns <- names(read.csv(file, nrows = 1, check.names = FALSE))
  # Text columns that may look like numbers. NA can be a code.
  codes <- columns[grepl("code$", columns) | columns %in% c("period", "lga", "state")]
  classes <- stats::setNames(rep("character", length(codes)), codes)
  found <- read.csv(file, na.strings = "", colClasses = classes, check.names = FALSE, encoding = "UTF-8")
  # read.csv leaves true and false as text.
  is_logical <- vapply(found, function(x) is.character(x) && all(x %in% c("true", "false", NA)) && !all(is.na(x)), NA)
  found[is_logical] <- lapply(found[is_logical], function(x) x == "true")
  found
}

download_table <- function(client, name, path, format = c("parquet", "csv")) {
  format <- match.arg(format)
  address <- paste0("/v1/tables/", curl::curl_escape(name), ".", format)
  body <- of_one_version(client, address, function(url) send(client, url))$body
  temporary <- tempfile("table", dirname(path))
  on.exit(unlink(temporary))
  writeBin(body, temporary)
  file.rename(temporary, path)
  invisible(path)
}

# A report's records, each with the report's common fields.
flat <- function(report, of) {
  common <- report[names(report) != of]
  cbind(as.data.frame(common, stringsAsFactors = FALSE), frame(report[[of]]))
}

# Records as a data frame: null becomes NA, and a field with several values becomes a column of lists.
frame <- function(records) {
  fields <- names(records[[1]])
  column <- function(name) {
    values <- lapply(records, function(record) record[[name]])
    if (any(vapply(values, is.list, NA))) return(I(values))
    unlist(lapply(values, function(value) if (is.null(value)) NA else value))
  }
  columns <- lapply(stats::setNames(fields, fields), column)
  as.data.frame(columns, stringsAsFactors = FALSE, check.names = FALSE)
}
