# Estimates the prevalence of LGAs by month with mgcv, from the tables that mgcv-truth.bench.ts writes:
#
#   Rscript mgcv-truth.R DIR DRAWS
#
# DIR/observed.csv   a row per cluster or state figure: x, y (km), log_density, elevation (km), annual_rain, rain (square
#                    root of mean mm of the previous two months), state, round, tested, positive, clustered (0/1)
# DIR/cells.csv      x, y, log_density, elevation, annual_rain, lga, state, population; lga from 1, ascending
# DIR/rain.csv       lga, month, rain
# DIR/months.csv     period, month, before, after, later: the rounds on both sides, and the month's position between them
#
# Writes DIR/predicted.csv: lga, period, score, score_low, score_high
suppressMessages(library(mgcv))
given <- commandArgs(TRUE)
dir <- given[1]
draws <- as.integer(given[2])
set.seed(1)
# The code of Nasarawa is NA, so NA must not be read as missing.
read <- function(name) read.csv(file.path(dir, name), na.strings = "")
observed <- read("observed.csv")
cells <- read("cells.csv")
rain <- read("rain.csv")
months <- read("months.csv")
rounds <- sort(unique(observed$round))
states <- sort(unique(cells$state))
as_factors <- function(d) transform(d, round = factor(round, rounds), state = factor(state, states))
observed <- as_factors(observed)
observed$share <- observed$positive / observed$tested

terms <- share ~ round + s(x, y, bs = "ds", m = c(1, .5), k = 150) + s(state, bs = "re") + s(state, round, bs = "re") +
  s(log_density) + s(elevation) + s(annual_rain) + s(rain)
fit_with <- function(rho) {
  observed$weight <- observed$tested / (1 + observed$clustered * (observed$tested - 1) * rho)
  suppressWarnings(bam(terms, binomial, observed, weights = weight, method = "fREML", discrete = TRUE))
}
# The overdispersion of clusters around the fitted means, by maximum likelihood.
estimate_rho <- function(model) {
  own <- observed$clustered == 1
  p <- fitted(model)[own]
  y <- observed$positive[own]
  n <- observed$tested[own]
  minus <- function(logit) {
    m <- 1 / plogis(logit) - 1
    -sum(lbeta(y + m * p, n - y + m * (1 - p)) - lbeta(m * p, m * (1 - p)))
  }
  plogis(optimize(minus, qlogis(c(.005, .5)))$minimum)
}
rho <- estimate_rho(fit_with(.1))
model <- fit_with(rho)
beta <- t(rmvn(draws, coef(model), vcov(model)))

# Coefficients of a term. It is identified by its variables, since bam may name it s(state,round) or s(round,state).
columns_of <- function(variables) {
  is_it <- vapply(model$smooth, function(s) setequal(s$term, variables), NA)
  if (sum(is_it) != 1) stop("no term of ", toString(variables))
  s <- model$smooth[[which(is_it)]]
  s$first.para:s$last.para
}
# A part of the linear predictor: rows of `d` by draws.
part <- function(d, columns) predict(model, d, type = "lpmatrix")[, columns, drop = FALSE] %*% beta[columns, ]
over_time <- c(seq_len(model$smooth[[1]]$first.para - 1), columns_of("state"), columns_of(c("state", "round")))
of_season <- columns_of("rain")
of_place <- setdiff(seq_len(nrow(beta)), c(over_time, of_season))
some <- cells[1, ]
at <- function(d) as_factors(cbind(d, some[rep(1, nrow(d)), setdiff(names(some), names(d))]))
place <- part(at(cbind(cells, round = rounds[1], rain = 0)), of_place)
season <- part(at(cbind(rain[c("lga", "month", "rain")], round = rounds[1])), of_season)
changing <- expand.grid(state = states, round = rounds)
time <- part(at(cbind(changing, rain = 0)), over_time)

lgas <- max(cells$lga)
state_of <- match(cells$state[match(seq_len(lgas), cells$lga)], states)
share <- cells$population / ave(cells$population, cells$lga, FUN = sum)
row_of <- function(round) (match(round, rounds) - 1) * length(states) + state_of
by_lga <- function(by_cell) rowsum(share * by_cell, cells$lga)
common_of <- function(now) {
  in_month <- rain[rain$month == now$month, ]
  (1 - now$later) * time[row_of(now$before), ] + now$later * time[row_of(now$after), ] +
    season[as.integer(rownames(in_month))[order(in_month$lga)], ]
}
# The log odds of an LGA's mean are nearly linear in the part that its cells share. Linear interpolation between steps of
# .75 is accurate to .001 in prevalence, so means over cells are needed only at the steps.
steps <- seq(-6, 4, .75)
at_steps <- vapply(steps, function(step) qlogis(by_lga(plogis(place + step))) - step, matrix(0, lgas, draws))
mean_with <- function(common) {
  position <- pmin(pmax((common - steps[1]) / .75, 0), length(steps) - 1.001)
  k <- floor(position)
  at <- function(k) array(at_steps[cbind(c(row(k)), c(col(k)), c(k) + 1)], dim(k))
  plogis(common + (1 - (position - k)) * at(k) + (position - k) * at(k + 1))
}
one_month <- function(m) {
  p <- mean_with(common_of(months[m, ]))
  range <- apply(p, 1, quantile, c(.05, .95), names = FALSE)
  data.frame(lga = seq_len(lgas), period = months$period[m], score = rowMeans(p), score_low = range[1, ],
    score_high = range[2, ])
}
write.csv(do.call(rbind, lapply(seq_len(nrow(months)), one_month)), file.path(dir, "predicted.csv"),
  row.names = FALSE, quote = FALSE)
cat(sprintf("%.4f\n", rho))
