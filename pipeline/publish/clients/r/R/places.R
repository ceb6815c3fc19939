# Joins your own table to the service's codes. Documented in man/match_places.Rd.

# Accented letters, letters with dots below and combining marks, with their replacements.
accents <- list(
  c("\u00e0\u00e1\u00e2\u00e3\u00e4\u00e5\u0101\u00c0\u00c1\u00c2\u00c3\u00c4\u00c5\u0100", "a"),
  c("\u00e8\u00e9\u00ea\u00eb\u0113\u1eb9\u00c8\u00c9\u00ca\u00cb\u0112\u1eb8", "e"),
  c("\u00ec\u00ed\u00ee\u00ef\u012b\u1ecb\u00cc\u00cd\u00ce\u00cf\u012a\u1eca", "i"),
  c("\u00f2\u00f3\u00f4\u00f5\u00f6\u014d\u1ecd\u00d2\u00d3\u00d4\u00d5\u00d6\u014c\u1ecc", "o"),
  c("\u00f9\u00fa\u00fb\u00fc\u016b\u1ee5\u00d9\u00da\u00db\u00dc\u016a\u1ee4", "u"),
  c("\u00f1\u0144\u1e45\u00d1\u0143\u1e44", "n"),
  c("\u1e63\u0161\u1e62\u0160", "s"),
  c("\u00e7\u00c7", "c"),
  c("\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u0323", "")
)

# A name in lower case without accents, spaces and punctuation, in any locale: "Saint-Elie" equals "saint elie".
plain <- function(name) {
  name <- enc2utf8(as.character(name))
  for (one in accents) name <- gsub(paste0("[", one[1], "]"), one[2], name)
  gsub("[^a-z0-9]", "", tolower(name))
}

# Words that tables may add to the names of upper-level areas.
kinds <- c("State", "Province", "Region", "Department", "County", "District", "Division", "Governorate", "Prefecture")

# Repeats each value by the number of the place's aliases; snapshots from before contract 1.4 have none.
repeated <- function(values, aliases) if (is.null(aliases)) values[0] else rep(values, lengths(aliases))

match_places <- function(client, rows, lga = "lga", state = "state", code = NULL) {
  found <- get_json(client, "/v1/places")
  all <- frame(found$lgas)
  missing <- setdiff(if (is.null(code)) c(lga, state) else code, names(rows))
  if (length(missing)) stop("no column ", paste0("'", missing, "'", collapse = ", "), " in rows", call. = FALSE)
  n <- nrow(rows)
  at <- rep(NA_integer_, n)
  why <- rep("", n)
  if (!is.null(code)) {
    at <- match(rows[[code]], all$lga_code)
    why <- paste0("no area has the code '", rows[[code]], "'")
  } else {
    states <- frame(found$states)
    known <- unlist(lapply(c("state_code", "state", "iso_code", "pcode"), function(name) plain(states[[name]])))
    known <- c(known, unlist(lapply(kinds, function(kind) plain(paste(states$state, kind)))))
    known <- c(known, plain(unlist(states$aliases)))
    codes <- c(rep(states$state_code, 4L + length(kinds)), repeated(states$state_code, states$aliases))
    of <- if (is.null(state)) NULL else codes[match(plain(rows[[state]]), known)]
    names_there <- c(plain(all$lga), plain(unlist(all$aliases)))
    whose <- c(seq_len(nrow(all)), repeated(seq_len(nrow(all)), all$aliases))
    for (i in seq_len(n)) {
      there <- unique(whose[names_there == plain(rows[[lga]][i])])
      shown <- paste0("'", rows[[lga]][i], "'")
      if (!is.null(state)) {
        if (is.na(rows[[state]][i]) || !nzchar(rows[[state]][i])) {
          why[i] <- "state is empty; was the code NA read as a missing value? read.csv: na.strings = \"\""
          next
        }
        if (is.na(of[i])) {
          why[i] <- paste0("no upper-level area is named '", rows[[state]][i], "'")
          next
        }
        there <- there[all$state_code[there] == of[i]]
        count <- if (length(there)) length(there) else "no"
        why[i] <- paste0(count, " areas of ", of[i], " are named ", shown)
      } else if (length(there) > 1) {
        why[i] <- paste0(shown, " is the name of areas in ", paste(all$state_code[there], collapse = ", "), ": give state too")
      } else {
        why[i] <- paste0("no area is named ", shown)
      }
      if (length(there) == 1) at[i] <- there
    }
  }
  matched <- rows[!is.na(at), , drop = FALSE]
  matched$lga_code <- all$lga_code[at[!is.na(at)]]
  matched$state_code <- all$state_code[at[!is.na(at)]]
  unmatched <- rows[is.na(at), , drop = FALSE]
  unmatched$why <- why[is.na(at)]
  list(matched = matched, unmatched = unmatched)
}
