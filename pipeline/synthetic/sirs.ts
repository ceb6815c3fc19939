/**
 * Transmission in the made-up country. The code is independent of the fitted model (pipeline/model/transmission) and
 * uses the textbook integrator, so that recovering its parameters is a real test.
 */
export interface Sirs {
  /** New infections per infection and month when everyone is susceptible, at the season's peak. */
  b: number;
  /** Share of transmission that does not depend on the season, 0-1. */
  share_year_round: number;
  infectious_months: number;
  immune_months: number;
}
interface Compartments {
  susceptible: number;
  infectious: number;
}

const STEPS_PER_MONTH = 30;

/** b × (share year-round + (1 − share year-round) × season), per month; `season` is 1 at its peak. */
export function transmissionRate(sirs: Sirs, season: number): number {
  return sirs.b * (sirs.share_year_round + (1 - sirs.share_year_round) * season);
}

/**
 * dS/dt = −β S I + (1 − S − I) / immune_months
 * dI/dt =  β S I − I / infectious_months
 * in shares of the population, per month; the remainder are recovered.
 */
function derivative(sirs: Sirs, rate: number, { susceptible, infectious }: Compartments): Compartments {
  const infection = rate * susceptible * infectious;
  const recovery = infectious / sirs.infectious_months;
  const waning = (1 - susceptible - infectious) / sirs.immune_months;
  return { susceptible: waning - infection, infectious: infection - recovery };
}

function advance(shares: Compartments, change: Compartments, months: number): Compartments {
  return {
    susceptible: shares.susceptible + months * change.susceptible,
    infectious: shares.infectious + months * change.infectious,
  };
}

/**
 * New infections per person in each of `months` months from January on, by the classical fourth-order Runge-Kutta
 * method with 30 steps per month. `season` has 12 values, January first, each constant over its month. Sixty years are
 * simulated first and dropped, so the result starts on its yearly cycle, or close to it unless the parameters are
 * chaotic.
 */
export function simulateSirs(sirs: Sirs, season: number[], months: number): number[] {
  let shares: Compartments = { susceptible: 0.7, infectious: 0.05 };
  const incidence: number[] = [];
  const before = 720;
  const h = 1 / STEPS_PER_MONTH;
  for (let month = 0; month < before + months; month++) {
    const rate = transmissionRate(sirs, season[month % 12]!);
    const infection = (compartments: Compartments) => rate * compartments.susceptible * compartments.infectious;
    let infections = 0;
    for (let step = 0; step < STEPS_PER_MONTH; step++) {
      const k1 = derivative(sirs, rate, shares);
      const half1 = advance(shares, k1, h / 2);
      const k2 = derivative(sirs, rate, half1);
      const half2 = advance(shares, k2, h / 2);
      const k3 = derivative(sirs, rate, half2);
      const end = advance(shares, k3, h);
      const k4 = derivative(sirs, rate, end);
      infections += (h / 6) * (infection(shares) + 2 * infection(half1) + 2 * infection(half2) + infection(end));
      shares = {
        susceptible:
          shares.susceptible + (h / 6) * (k1.susceptible + 2 * k2.susceptible + 2 * k3.susceptible + k4.susceptible),
        infectious:
          shares.infectious + (h / 6) * (k1.infectious + 2 * k2.infectious + 2 * k3.infectious + k4.infectious),
      };
    }
    if (month >= before) incidence.push(infections);
  }
  return incidence;
}
