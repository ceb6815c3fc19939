# Requests: key, waiting, errors, the pinned model version, and the cache of answers by ETag.

version <- "0.1.0"
# Number of answers kept in memory; the oldest is dropped first.
kept_at_most <- 64

#' A client for one service with one key. See man/malaria_client.Rd.
malaria_client <- function(base_url, key = Sys.getenv("MALARIA_API_KEY"), max_wait = 60, timeout = 30,
                           cache_dir = NULL, model_version = NULL) {
  key <- trimws(key)
  if (!nzchar(key)) stop("no API key: give key, or set MALARIA_API_KEY", call. = FALSE)
  if (!grepl("^https?://", base_url)) stop("base_url is '", base_url, "', expected http:// or https://", call. = FALSE)
  client <- new.env(parent = emptyenv())
  client$base <- sub("/+$", "", base_url)
  client$key <- key
  client$max_wait <- max_wait
  client$timeout <- timeout
  client$cache_dir <- cache_dir
  client$version <- model_version
  client$requests <- 0L
  client$kept <- list()
  structure(client, class = "malaria_client")
}

# Does not print the key.
print.malaria_client <- function(x, ...) {
  found <- if (is.null(x$version)) "none yet" else x$version
  cat("<malaria_client> ", x$base, ", model version: ", found, ", requests: ", x$requests, "\n", sep = "")
  invisible(x)
}

client_version <- function(client) client$version

client_requests <- function(client) client$requests

client_restart <- function(client) {
  client$version <- NULL
  client$changed <- NULL
  invisible(client)
}

# Raw body of the answer; an answer that is unchanged since the last call is not transferred again.
fetch_body <- function(client, path, parameters = list()) {
  parameters <- Filter(Negate(is.null), parameters)
  pairs <- vapply(names(parameters), function(name) {
    paste0(name, "=", curl::curl_escape(as.character(parameters[[name]])))
  }, "")
  of_one_version(client, paste0(path, if (length(pairs)) paste0("?", paste(pairs, collapse = "&"))), function(url) {
    fetch_from(client, url)
  })
}

# Requests the pinned version by its own path once the service has a newer one, as long as the service keeps it.
of_one_version <- function(client, path, use) {
  if (is.null(client$changed) || startsWith(path, "/v1/versions")) {
    answer <- tryCatch(use(paste0(client$base, path)), malaria_version_changed = function(changed) {
      client$changed <- changed
      NULL
    })
    if (!is.null(answer)) return(answer)
  }
  own <- paste0(client$base, "/v1/versions/", client$version, substring(path, nchar("/v1") + 1))
  tryCatch(use(own), malaria_service_error = function(error) {
    stop(if (error$code %in% c("UNKNOWN_VERSION", "NOT_FOUND")) client$changed else error)
  })
}

fetch_from <- function(client, url) {
  before <- recall(client, url)
  answer <- send(client, url, if (!is.null(before)) c("If-None-Match" = before$etag))
  if (answer$status == 304L && !is.null(before)) return(before$body)
  if (!is.null(answer$headers$etag)) keep(client, url, list(etag = answer$headers$etag, body = answer$body))
  answer$body
}

# Repeats the request until there is an answer or the total wait would exceed max_wait seconds.
send <- function(client, url, headers = NULL) {
  waited <- 0
  repeat {
    client$requests <- client$requests + 1L
    handle <- curl::new_handle(
      useragent = paste0("malaria-risk-r/", version), followlocation = FALSE, accept_encoding = "gzip, deflate",
      connecttimeout = ceiling(client$timeout), low_speed_limit = 1, low_speed_time = ceiling(client$timeout)
    )
    curl::handle_setheaders(handle, .list = c(list(Authorization = paste("Bearer", client$key)), as.list(headers)))
    got <- curl::curl_fetch_memory(url, handle)
    found <- curl::parse_headers_list(got$headers)
    if (got$status_code %in% c(200L, 304L)) {
      pin(client, found[["model-version"]])
      return(list(status = got$status_code, headers = found, body = got$content))
    }
    retry_after <- seconds(found[["retry-after"]])
    problem <- problem_of(got)
    # At least a second, so that the loop ends even if the service keeps sending zero.
    pause <- if (is.null(retry_after)) Inf else max(1, retry_after)
    may_pass <- got$status_code %in% c(429L, 503L) && !identical(problem$code, "ALLOWANCE_EXHAUSTED")
    if (!may_pass || waited + pause > client$max_wait) stop(service_error(got$status_code, problem, retry_after))
    Sys.sleep(pause)
    waited <- waited + pause
  }
}

pin <- function(client, found) {
  if (is.null(found)) return(invisible())
  if (!is.null(client$version) && client$version != found) {
    stop(structure(class = c("malaria_version_changed", "malaria_error", "error", "condition"), list(
      message = paste0("model version was ", client$version, ", is now ", found,
                       ": call client_restart() and read everything again"),
      call = NULL, pinned = client$version, found = found
    )))
  }
  client$version <- found
}

# The condition for an answer other than data: its class is the kind of error, its fields have the details.
service_error <- function(status, problem, retry_after) {
  field <- function(name, otherwise = "") if (is.character(problem[[name]])) problem[[name]] else otherwise
  code <- field("code", paste0("HTTP_", status))
  kind <- if (code == "ALLOWANCE_EXHAUSTED") "malaria_allowance_exhausted"
  else if (status >= 500) "malaria_unavailable"
  else switch(as.character(status), "401" = "malaria_invalid_key", "403" = "malaria_scope_required",
              "429" = "malaria_rate_limited", "malaria_refused")
  about <- paste0(code, " (", status, "): ", field("title"), ". ", field("detail"),
                  if (nzchar(field("request_id"))) paste0(" (request ", field("request_id"), ")"))
  structure(class = c(kind, "malaria_service_error", "malaria_error", "error", "condition"), list(
    message = about, call = NULL, code = code, status = status, title = field("title"), detail = field("detail"),
    request_id = field("request_id"), retry_after = retry_after
  ))
}

problem_of <- function(got) {
  body <- tryCatch(jsonlite::fromJSON(text_of(got$content), simplifyVector = FALSE), error = function(e) NULL)
  if (is.list(body) && !is.null(names(body))) return(body)
  list(title = "no data", detail = "The answer did not come from this service.")
}

seconds <- function(retry_after) {
  if (!is.null(retry_after) && grepl("^[0-9]{1,9}$", retry_after)) as.numeric(retry_after)
}

text_of <- function(body) {
  text <- rawToChar(body)
  Encoding(text) <- "UTF-8"
  text
}

cache_file <- function(client, url) {
  named <- tempfile("url")
  on.exit(unlink(named))
  writeBin(charToRaw(url), named)
  file.path(client$cache_dir, paste0(unname(tools::md5sum(named)), ".rds"))
}

recall <- function(client, url) {
  if (is.null(client$cache_dir)) return(client$kept[[url]])
  file <- cache_file(client, url)
  # A damaged answer, or one of another URL with the same hash, is requested again.
  found <- if (file.exists(file)) tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
  if (is.list(found) && identical(found$url, url)) found
}

keep <- function(client, url, answer) {
  if (is.null(client$cache_dir)) {
    client$kept[[url]] <- NULL
    client$kept[[url]] <- answer
    client$kept <- utils::tail(client$kept, kept_at_most)
    return(invisible())
  }
  dir.create(client$cache_dir, recursive = TRUE, showWarnings = FALSE)
  temporary <- tempfile("answer", client$cache_dir)
  saveRDS(c(list(url = url), answer), temporary)
  file.rename(temporary, cache_file(client, url))
}
